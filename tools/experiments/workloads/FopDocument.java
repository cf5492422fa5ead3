// SPDX-License-Identifier: MIT
// Formats a document with fop, again and again in one virtual machine, as a benchmark does; the PDF goes nowhere.
//
//	java -cp "CLASSES:/usr/share/java/*" FopDocument DOCUMENT.fo [RECORDS.csv]
//
// CLASSES is what tools/experiments/workload build-java has made. Needs fop.

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.OutputStream;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.Fop;
import org.apache.fop.apps.FopFactory;
import org.apache.xmlgraphics.util.MimeConstants;

class FopDocument {
	public static void main(String[] arguments) throws Exception {
		if (arguments.length < 1 || arguments.length > 2)
			Records.trouble("usage: FopDocument DOCUMENT.fo [RECORDS.csv]");
		System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog"); // it tells of each page
		File document = new File(arguments[0]);
		Records records = new Records(arguments.length == 2 ? arguments[1] : null);
		FopFactory factory = FopFactory.newInstance(new File(".").toURI());
		// The virtual machine's own, whatever else is in the class path.
		TransformerFactory transformers = TransformerFactory.newDefaultInstance();
		for (;;) {
			long start = Records.now();
			try (OutputStream pdf = new BufferedOutputStream(OutputStream.nullOutputStream())) {
				Fop fop = factory.newFop(MimeConstants.MIME_PDF, pdf);
				Transformer transformer = transformers.newTransformer();
				transformer.transform(new StreamSource(document), new SAXResult(fop.getDefaultHandler()));
			}
			records.add(start, Records.now());
		}
	}
}
