// SPDX-License-Identifier: MIT
// Renders a scene with the ray tracer sunflow, again and again in one virtual machine, as a benchmark does.
// (Debian's `sunflow` command can't: it was built without its loader of scenes. The parser is in the library.)
//
//	java -cp /usr/share/java/sunflow.jar SunflowScene.java SCENE.sc THREADS [RECORDS.csv]
//
// -Dpicture=FILE.png writes the first picture and ends. Needs openjdk-*-jdk-headless (it compiles itself) and libsunflow-java.

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.sunflow.SunflowAPI;
import org.sunflow.core.display.FileDisplay;
import org.sunflow.core.parser.SCParser;
import org.sunflow.system.UI;
import org.sunflow.system.ui.SilentInterface;

class SunflowScene {
	// CLOCK_MONOTONIC on Linux.
	private static String seconds(long nanoseconds) {
		return String.format(Locale.ROOT, "%d.%09d", nanoseconds / 1_000_000_000L, nanoseconds % 1_000_000_000L);
	}

	private static void render(String scene, int threads, FileDisplay display) {
		SunflowAPI sunflow = new SunflowAPI();
		if (!new SCParser().parse(scene, sunflow)) {
			System.err.println("SunflowScene: can't read the scene " + scene);
			System.exit(125);
		}
		sunflow.parameter("threads", threads);
		sunflow.options(SunflowAPI.DEFAULT_OPTIONS);
		sunflow.render(SunflowAPI.DEFAULT_OPTIONS, display);
	}

	public static void main(String[] arguments) throws IOException {
		if (arguments.length < 2 || arguments.length > 3) {
			System.err.println("usage: SunflowScene SCENE.sc THREADS [RECORDS.csv]");
			System.exit(125);
		}
		UI.set(new SilentInterface());
		int threads = Integer.parseInt(arguments[1]);
		String picture = System.getProperty("picture");
		if (picture != null) {
			render(arguments[0], threads, new FileDisplay(picture));
			return;
		}
		String number = System.getenv("SHOWSTOPPER_INSTANCE");
		int instance = number == null ? 0 : Integer.parseInt(number);
		FileOutputStream records = arguments.length == 3 ? new FileOutputStream(arguments[2]) : null;
		if (records != null)
			records.write("instance,iteration,start_s,end_s\n".getBytes(StandardCharsets.US_ASCII));
		for (long iteration = 0;; iteration++) {
			long start = System.nanoTime();
			render(arguments[0], threads, new FileDisplay(false));
			String line = instance + "," + iteration + "," + seconds(start) + "," + seconds(System.nanoTime()) + "\n";
			if (records != null)
				records.write(line.getBytes(StandardCharsets.US_ASCII));
		}
	}
}
