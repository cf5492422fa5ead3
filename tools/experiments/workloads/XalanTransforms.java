// SPDX-License-Identifier: MIT
// Transforms a generated document with Xalan, without end. Each thread has transformations of its own and never waits for
// another; each of them is an iteration, so that records of different threads overlap.
//
//	java -cp "CLASSES:/usr/share/java/*" XalanTransforms THREADS [RECORDS.csv]
//
// THREADS 0 is one per processor that the process may use. CLASSES is what tools/experiments/workload build-java has made. Needs
// libxalan2-java.

import java.io.OutputStream;
import java.io.StringReader;
import java.util.Random;
import javax.xml.transform.Templates;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

class XalanTransforms {
	private static final int ITEMS = 500;

	private static final String STYLESHEET = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
			+ "<xsl:output method='html' indent='yes'/>"
			+ "<xsl:key name='group' match='item' use='@group'/>"
			+ "<xsl:template match='/list'><html><body><h1><xsl:value-of select='count(item)'/> items</h1>"
			+ "<xsl:for-each select=\"item[generate-id() = generate-id(key('group', @group)[1])]\">"
			+ "<xsl:sort select='@group'/>"
			+ "<h2><xsl:value-of select='@group'/>: <xsl:value-of select=\"sum(key('group', @group)/price)\"/></h2><table>"
			+ "<xsl:apply-templates select=\"key('group', @group)\"><xsl:sort select='price' data-type='number' order='descending'/>"
			+ "<xsl:sort select='name'/></xsl:apply-templates></table></xsl:for-each></body></html></xsl:template>"
			+ "<xsl:template match='item'><tr><td><xsl:number value='position()' format='i'/></td>"
			+ "<td><xsl:value-of select=\"translate(name, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')\"/></td>"
			+ "<td><xsl:choose><xsl:when test='price &gt; 500'><b><xsl:value-of select=\"format-number(price, '#,##0.00')\"/></b>"
			+ "</xsl:when><xsl:otherwise><xsl:value-of select=\"format-number(price, '0.00')\"/></xsl:otherwise></xsl:choose></td>"
			+ "<td><xsl:call-template name='shorten'><xsl:with-param name='text' select='normalize-space(text)'/></xsl:call-template></td>"
			+ "</tr></xsl:template>"
			+ "<xsl:template name='shorten'><xsl:param name='text'/><xsl:choose>"
			+ "<xsl:when test=\"contains($text, '. ')\"><p><xsl:value-of select=\"substring-before($text, '. ')\"/></p>"
			+ "<xsl:call-template name='shorten'><xsl:with-param name='text' select=\"substring-after($text, '. ')\"/></xsl:call-template>"
			+ "</xsl:when><xsl:otherwise><p><xsl:value-of select='$text'/></p></xsl:otherwise></xsl:choose></xsl:template>"
			+ "</xsl:stylesheet>";

	private static String document() {
		Random random = new Random(1);
		String[] words = Records.vocabulary(random, 5_000);
		StringBuilder document = new StringBuilder("<?xml version='1.0'?>\n<list>\n");
		for (int i = 0; i < ITEMS; i++) {
			document.append("<item group='").append(words[random.nextInt(20)]).append("'><name>");
			document.append(Records.text(random, words, 3)).append("</name><price>").append(random.nextInt(100_000) / 100.0);
			document.append("</price><text>").append(Records.text(random, words, 60)).append("</text></item>\n");
		}
		return document.append("</list>\n").toString();
	}

	private static void work(Templates templates, String document, Records records) throws Exception {
		for (;;) {
			long start = Records.now();
			templates.newTransformer().transform(new StreamSource(new StringReader(document)),
					new StreamResult(OutputStream.nullOutputStream()));
			records.add(start, Records.now());
		}
	}

	public static void main(String[] arguments) throws Exception {
		if (arguments.length < 1 || arguments.length > 2)
			Records.trouble("usage: XalanTransforms THREADS [RECORDS.csv]");
		int threads = Records.number("XalanTransforms: THREADS", arguments[0], 0);
		if (threads == 0)
			threads = Runtime.getRuntime().availableProcessors();
		Records records = new Records(arguments.length == 2 ? arguments[1] : null);
		// By name, as the virtual machine has a processor of its own.
		Templates templates = new TransformerFactoryImpl().newTemplates(new StreamSource(new StringReader(STYLESHEET)));
		String document = document();
		for (int i = 0; i < threads; i++)
			Records.start(() -> work(templates, document, records));
	}
}
