// SPDX-License-Identifier: MIT
// What the drivers here have in common: iteration records (instance,iteration,start_s,end_s: seconds of CLOCK_MONOTONIC; status: 0;
// time_unix_s: the end on the wall clock), numbers among the arguments, and generated text.

import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Locale;
import java.util.Random;

final class Records {
	private final FileOutputStream file; // null: nobody wants records
	private final int instance;
	private long iteration;
	private final ByteBuffer counter; // of a run with -f throughput; null: nobody counts
	private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	// FILE is emptied; null is no file. The number of the instance is $SHOWSTOPPER_INSTANCE, or 0.
	Records(String name) throws IOException {
		String number = System.getenv("SHOWSTOPPER_INSTANCE");
		instance = number == null ? 0 : number("SHOWSTOPPER_INSTANCE", number, 0);
		counter = findCounter();
		file = name == null ? null : new FileOutputStream(name);
		if (file != null)
			file.write("instance,iteration,start_s,end_s,status,time_unix_s\n".getBytes(StandardCharsets.US_ASCII));
	}

	// The file that $SHOWSTOPPER_COUNTER names, showstopper-modules(7), if it is one of those: its descriptor may have been closed on the way.
	private static ByteBuffer findCounter() throws IOException {
		String path = System.getenv("SHOWSTOPPER_COUNTER");
		if (path == null || !Files.isSymbolicLink(Path.of(path)) ||
				!Files.readSymbolicLink(Path.of(path)).toString().startsWith("/memfd:showstopper-iterations"))
			return null;
		try (FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
		}
	}

	// CLOCK_MONOTONIC on Linux.
	static long now() {
		return System.nanoTime();
	}

	private static String seconds(long nanoseconds) {
		return String.format(Locale.ROOT, "%d.%09d", nanoseconds / 1_000_000_000L, nanoseconds % 1_000_000_000L);
	}

	// That moment on the wall clock.
	private static String unix(long nanoseconds) {
		Instant now = Instant.now();
		long microseconds = now.getEpochSecond() * 1_000_000L + now.getNano() / 1000 + (nanoseconds - now()) / 1000;
		return String.format(Locale.ROOT, "%d.%06d", microseconds / 1_000_000L, microseconds % 1_000_000L);
	}

	// An iteration has ended. From any thread; one write, so that a process that is killed leaves whole lines.
	synchronized void add(long start, long end) throws IOException {
		String line = instance + "," + iteration + "," + seconds(start) + "," + seconds(end) + ",0," + unix(end) + "\n";
		iteration++;
		if (counter != null)
			LONG.getAndAdd(counter, 0, 1L);
		if (file != null)
			file.write(line.getBytes(StandardCharsets.US_ASCII));
	}

	// Misuse, with one line.
	static void trouble(String message) {
		System.err.println(message);
		System.exit(125);
	}

	// A whole number from LEAST up, or the end.
	static int number(String what, String text, int least) {
		int number = -1;
		try {
			number = Integer.parseInt(text);
		} catch (NumberFormatException exception) {
			// Said below.
		}
		if (number < least)
			trouble(what + ": found '" + text + "', expected a whole number from " + least);
		return number;
	}

	// A thread that works until the process is killed; when it fails, all ends.
	interface Work {
		void run() throws Exception;
	}

	static void start(Work work) {
		new Thread(() -> {
			try {
				work.run();
			} catch (Throwable failure) {
				failure.printStackTrace();
				System.exit(1);
			}
		}).start();
	}

	// Words without meaning, COUNT of them, the same for the same seed.
	static String[] vocabulary(Random random, int count) {
		String[] syllables = {"ba", "cor", "den", "fi", "gal", "ho", "kun", "lem", "mi", "nor", "pa", "rin", "sto", "tes", "ul", "ver"};
		String[] words = new String[count];
		for (int i = 0; i < count; i++) {
			StringBuilder word = new StringBuilder();
			for (int left = 1 + random.nextInt(4); left > 0; left--)
				word.append(syllables[random.nextInt(syllables.length)]);
			words[i] = word.toString();
		}
		return words;
	}

	// Sentences out of WORDS; as in a language, few words make up most of it.
	static String text(Random random, String[] words, int length) {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < length; i++) {
			int rank = (int) (Math.pow(words.length, random.nextDouble())) - 1;
			text.append(words[rank]).append(random.nextInt(12) == 0 ? ". " : " ");
		}
		return text.toString();
	}
}
