// SPDX-License-Identifier: MIT
// Short transactions of several clients on a database of H2 in memory, without end. The clients wait for one another wherever the
// database says so. A fixed number of transactions, no matter whose, is an iteration; the next one begins there.
//
//	java -cp "CLASSES:/usr/share/java/*" H2Transactions CLIENTS [RECORDS.csv]
//
// CLASSES is what tools/experiments/workload build-java has made. Needs libh2-java.

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

class H2Transactions {
	private static final int BRANCHES = 8;
	private static final int ACCOUNTS = 8_000; // account a belongs to branch a % BRANCHES
	private static final int HISTORY = 4_000;  // rows of each client, written in a circle, so that nothing grows
	private static final int TRANSACTIONS = 500; // an iteration
	// The wait for a lock is long, as a process that is stopped may be for long.
	private static final String DATABASE = "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE;LOCK_TIMEOUT=10000";

	private final Records records;
	private int done;
	private long start;

	private H2Transactions(Records records) {
		this.records = records;
		start = Records.now();
	}

	private synchronized void count() throws Exception {
		if (++done < TRANSACTIONS)
			return;
		long now = Records.now();
		records.add(start, now);
		start = now;
		done = 0;
	}

	private static void create(int clients) throws SQLException {
		try (Connection connection = DriverManager.getConnection(DATABASE); Statement statement = connection.createStatement()) {
			statement.execute("CREATE TABLE branch(id INT PRIMARY KEY, balance BIGINT NOT NULL)");
			statement.execute("CREATE TABLE account(id INT PRIMARY KEY, branch INT NOT NULL, balance BIGINT NOT NULL)");
			statement.execute("CREATE TABLE history(client INT, slot INT, account INT, amount INT, note VARCHAR(60),"
					+ " PRIMARY KEY(client, slot))");
			statement.execute("CREATE INDEX history_account ON history(account)");
			statement.execute("INSERT INTO branch SELECT x, 0 FROM SYSTEM_RANGE(0, " + (BRANCHES - 1) + ")");
			statement.execute("INSERT INTO account SELECT x, MOD(x, " + BRANCHES + "), 1000 FROM SYSTEM_RANGE(0, " + (ACCOUNTS - 1) + ")");
			statement.execute("INSERT INTO history SELECT c.x, s.x, MOD(s.x * 7, " + ACCOUNTS + "), 0, 'none' FROM SYSTEM_RANGE(0, "
					+ (clients - 1) + ") c, SYSTEM_RANGE(0, " + (HISTORY - 1) + ") s");
		}
	}

	private static void change(PreparedStatement statement, int amount, int id) throws SQLException {
		statement.setInt(1, amount);
		statement.setInt(2, id);
		if (statement.executeUpdate() != 1)
			throw new IllegalStateException("row " + id + " isn't there");
	}

	private void serve(int client) throws Exception {
		Random random = new Random(client + 1);
		try (Connection connection = DriverManager.getConnection(DATABASE);
				PreparedStatement account = connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?");
				PreparedStatement branch = connection.prepareStatement("UPDATE branch SET balance = balance + ? WHERE id = ?");
				PreparedStatement history = connection.prepareStatement(
						"UPDATE history SET account = ?, amount = ?, note = ? WHERE client = ? AND slot = ?");
				PreparedStatement statement = connection.prepareStatement("SELECT COUNT(*), SUM(h.amount), MAX(a.balance) FROM account a"
						+ " LEFT JOIN history h ON h.account = a.id WHERE a.id BETWEEN ? AND ?")) {
			connection.setAutoCommit(false);
			for (int slot = 0;; slot = (slot + 1) % HISTORY) {
				int id = random.nextInt(ACCOUNTS);
				int amount = random.nextInt(200) - 100;
				for (boolean committed = false; !committed;) {
					try {
						statement.setInt(1, id);
						statement.setInt(2, id + 20);
						try (ResultSet result = statement.executeQuery()) {
							result.next();
						}
						change(account, amount, id);
						history.setInt(1, id);
						history.setInt(2, amount);
						history.setString(3, "client " + client + " changes account " + id);
						history.setInt(4, client);
						history.setInt(5, slot);
						history.executeUpdate();
						change(branch, amount, id % BRANCHES);
						connection.commit();
						committed = true;
					} catch (SQLException exception) {
						// Another client was first (deadlock or conflict, 40001), or the lock took too long (HYT00).
						connection.rollback();
						String state = exception.getSQLState();
						if (!"40001".equals(state) && !"HYT00".equals(state))
							throw exception;
					}
				}
				count();
			}
		}
	}

	public static void main(String[] arguments) throws Exception {
		if (arguments.length < 1 || arguments.length > 2)
			Records.trouble("usage: H2Transactions CLIENTS [RECORDS.csv]");
		int clients = Records.number("H2Transactions: CLIENTS", arguments[0], 1);
		Records records = new Records(arguments.length == 2 ? arguments[1] : null);
		create(clients);
		H2Transactions transactions = new H2Transactions(records);
		for (int i = 0; i < clients; i++) {
			int client = i;
			Records.start(() -> transactions.serve(client));
		}
	}
}
