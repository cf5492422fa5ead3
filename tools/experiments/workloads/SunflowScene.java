// SPDX-License-Identifier: MIT
// Renders a scene with the ray tracer sunflow, again and again in one virtual machine, as a benchmark does.
// (Debian's `sunflow` command can't: it was built without its loader of scenes. The parser is in the library.)
//
//	java -cp "CLASSES:/usr/share/java/*" SunflowScene SCENE.sc THREADS [RECORDS.csv]
//
// -Dpicture=FILE.png writes the first picture and ends; -Dwidth=PIXELS makes them so wide, with less work. CLASSES is what
// tools/experiments/workload build-java has made. Needs libsunflow-java.

import java.io.IOException;
import org.sunflow.SunflowAPI;
import org.sunflow.core.display.FileDisplay;
import org.sunflow.core.parser.SCParser;
import org.sunflow.system.UI;
import org.sunflow.system.ui.SilentInterface;

class SunflowScene {
	private static void render(String scene, int threads, FileDisplay display) {
		SunflowAPI sunflow = new SunflowAPI();
		if (!new SCParser().parse(scene, sunflow))
			Records.trouble("SunflowScene: can't read the scene " + scene);
		sunflow.parameter("threads", threads);
		String width = System.getProperty("width");
		if (width != null) {
			int pixels = Records.number("SunflowScene: width", width, 16);
			sunflow.parameter("resolutionX", pixels);
			sunflow.parameter("resolutionY", pixels * 3 / 4);
			sunflow.parameter("bucket.size", 8); // so that there are many more parts than threads
		}
		sunflow.options(SunflowAPI.DEFAULT_OPTIONS);
		sunflow.render(SunflowAPI.DEFAULT_OPTIONS, display);
	}

	public static void main(String[] arguments) throws IOException {
		if (arguments.length < 2 || arguments.length > 3)
			Records.trouble("usage: SunflowScene SCENE.sc THREADS [RECORDS.csv]");
		UI.set(new SilentInterface());
		int threads = Records.number("SunflowScene: THREADS", arguments[1], 1);
		String picture = System.getProperty("picture");
		if (picture != null) {
			render(arguments[0], threads, new FileDisplay(picture));
			return;
		}
		Records records = new Records(arguments.length == 3 ? arguments[2] : null);
		for (;;) {
			long start = Records.now();
			render(arguments[0], threads, new FileDisplay(false));
			records.add(start, Records.now());
		}
	}
}
