// SPDX-License-Identifier: MIT
// Formats a document with fop, again and again in one virtual machine, as a benchmark does; the PDF goes nowhere.
//
//	java -cp "/usr/share/java/*" FopDocument.java DOCUMENT.fo [RECORDS.csv]
//
// Needs openjdk-*-jdk-headless (it compiles itself) and fop.

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.Fop;
import org.apache.fop.apps.FopFactory;
import org.apache.xmlgraphics.util.MimeConstants;

class FopDocument {
	// CLOCK_MONOTONIC on Linux.
	private static String seconds(long nanoseconds) {
		return String.format(Locale.ROOT, "%d.%09d", nanoseconds / 1_000_000_000L, nanoseconds % 1_000_000_000L);
	}

	public static void main(String[] arguments) throws Exception {
		if (arguments.length < 1 || arguments.length > 2) {
			System.err.println("usage: FopDocument DOCUMENT.fo [RECORDS.csv]");
			System.exit(125);
		}
		File document = new File(arguments[0]);
		String number = System.getenv("SHOWSTOPPER_INSTANCE");
		int instance = number == null ? 0 : Integer.parseInt(number);
		FileOutputStream records = arguments.length == 2 ? new FileOutputStream(arguments[1]) : null;
		if (records != null)
			records.write("instance,iteration,start_s,end_s\n".getBytes(StandardCharsets.US_ASCII));
		FopFactory factory = FopFactory.newInstance(new File(".").toURI());
		TransformerFactory transformers = TransformerFactory.newInstance();
		for (long iteration = 0;; iteration++) {
			long start = System.nanoTime();
			try (OutputStream pdf = new BufferedOutputStream(OutputStream.nullOutputStream())) {
				Fop fop = factory.newFop(MimeConstants.MIME_PDF, pdf);
				Transformer transformer = transformers.newTransformer();
				transformer.transform(new StreamSource(document), new SAXResult(fop.getDefaultHandler()));
			}
			String line = instance + "," + iteration + "," + seconds(start) + "," + seconds(System.nanoTime()) + "\n";
			if (records != null)
				records.write(line.getBytes(StandardCharsets.US_ASCII));
		}
	}
}
