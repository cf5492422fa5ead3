<?php
// SPDX-License-Identifier: MIT
// A wiki that is only read, in the folder of this file; what of it is asked by a client goes through memcached.
if ( !defined( 'MEDIAWIKI' ) ) {
	exit;
}
$wgSitename = 'Encyclopaedia';
$wgServer = 'http://service';
$wgScriptPath = '';
$wgLanguageCode = 'en';
$wgSecretKey = str_repeat( '0', 64 );
$wgDBtype = 'mysql';
$wgDBserver = 'localhost:' . __DIR__ . '/database';
$wgDBname = 'wiki';
$wgDBuser = 'root';
$wgDBpassword = '';
$wgCacheDirectory = __DIR__ . '/messages';
$wgLocalisationCacheConf['store'] = 'array';
$wgLocalisationCacheConf['manualRecache'] = true;
$wgTmpDirectory = __DIR__;
$wgJobRunRate = 0;
$wgEnableEmail = false;
$wgPingback = false;
if ( PHP_SAPI === 'cli' ) {
	$wgMainCacheType = CACHE_NONE;
} else {
	$wgReadOnly = 'This wiki is only read.';
	$wgMainCacheType = CACHE_MEMCACHED;
	$wgParserCacheType = CACHE_MEMCACHED;
	$wgMessageCacheType = CACHE_MEMCACHED;
	$wgSessionCacheType = CACHE_MEMCACHED;
	$wgMemCachedServers = [ 'unix://' . __DIR__ . '/memcached' ];
}
wfLoadSkin( 'Vector' );
wfLoadExtension( 'Cite' );
wfLoadExtension( 'ParserFunctions' );
