// SPDX-License-Identifier: MIT
// Indexes generated text with Lucene, again and again in one virtual machine, as a benchmark does. One thread; an iteration makes
// an index of all documents in memory, with the merges that come with it.
//
//	java -cp "CLASSES:/usr/share/java/*" LuceneIndex [RECORDS.csv]
//
// CLASSES is what tools/experiments/workload build-java has made. Needs liblucene4.10-java.

import java.util.Random;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

class LuceneIndex {
	private static final int DOCUMENTS = 400;
	private static final int WORDS = 400; // in a document

	private static void index(Analyzer analyzer, String[] texts) throws Exception {
		IndexWriterConfig config = new IndexWriterConfig(Version.LATEST, analyzer);
		config.setMaxBufferedDocs(50);
		config.setMergeScheduler(new SerialMergeScheduler());
		try (RAMDirectory directory = new RAMDirectory(); IndexWriter writer = new IndexWriter(directory, config)) {
			for (int i = 0; i < texts.length; i++) {
				Document document = new Document();
				document.add(new StringField("number", Integer.toString(i), Field.Store.YES));
				document.add(new TextField("text", texts[i], Field.Store.YES));
				writer.addDocument(document);
			}
			writer.forceMerge(1);
		}
	}

	public static void main(String[] arguments) throws Exception {
		if (arguments.length > 1)
			Records.trouble("usage: LuceneIndex [RECORDS.csv]");
		Random random = new Random(1);
		String[] words = Records.vocabulary(random, 20_000);
		String[] texts = new String[DOCUMENTS];
		for (int i = 0; i < texts.length; i++)
			texts[i] = Records.text(random, words, WORDS);
		Analyzer analyzer = new EnglishAnalyzer();
		Records records = new Records(arguments.length == 1 ? arguments[0] : null);
		for (;;) {
			long start = Records.now();
			index(analyzer, texts);
			records.add(start, Records.now());
		}
	}
}
