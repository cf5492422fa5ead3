# SPDX-License-Identifier: MIT
"""ssimport: every interval's mean, what is found and said, and what is left out, cut, filled or refused."""
import gzip
import json
import lzma
import os
import random

import numpy as np
import pytest
from showstopper import InputError, InputWarning, list_machines, read_history, read_trace
from showstopper.cli.importing import execute

SADF_HEAD = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
SADF = (
    SADF_HEAD
    + """db1;600;2026-03-01 00:10:01 UTC;-1;5.00;0.00;2.00;3.00;0.00;90.00
db1;600;2026-03-01 00:10:01 UTC;0;50.00;0.00;0.00;0.00;0.00;50.00
db1;600;2026-03-01 00:20:01 UTC;-1;20.00;0.00;5.00;5.00;0.00;70.00
"""
)
SADF_MORE = (
    SADF
    + "db1;-1;2026-03-01 00:25:00 UTC;LINUX-RESTART\t(2 CPU)\n"
    + SADF_HEAD
    + """db1;600;2026-03-01 00:30:01 UTC;-1;20.00;0.00;5.00;5.00;0.00;seventy
db1;600;2026-03-01 00:50:01 UTC;-1;80.00;0.00;0.00;0.00;0.00;20.00
"""
)
LOAD = "time_s,monotonic_s,load,time_unix_s\n0.5,10.5,0.25,1.5\n1.0,11,0.75,2\n1.5,11.5,x,2.5\n2.0,12,1,3\n"
LOG = "time_s,monotonic_s,target,load,estimate\n-0.5,1,,0.9,\n0.5,2,0.5,0.4,\n1.0,2.5,0.5,,\n1.5,3,0.25,0.3,\n"
ONE = "time_s,load,time_unix_s\n1,0.25,101\n2,0.5,102\n"
TWO = "time_s,load,time_unix_s\n1,0.75,104\n2,1,105\n"
ALI = "".join(
    f"{row},50,,,43.04,33.08,4\n"
    for row in "m_1,0,10 m_1,10,20 m_1,20,thirty m_1,30,40 m_2,10,60 m_2,0,50 m_2,10,99 m_2,20,101".split()
)
BOTH = "".join(line for line in ALI.splitlines(True) if "thirty" not in line and ",99," not in line)
AZURE = "".join(f"{at},{'a' * 28}=,1.5,20,{load}\n" for at, load in ((0, 10.5), (300, "wrong"), (600, 30)))
GOOGLE = """start_time,end_time,collection_id,machine_id,average_usage.cpus
600000000,900000000,1,77,0.5
600000000,750000000,2,77,1
900000000,1200000000,1,77,a half
900000000,1200000000,1,77,"{'cpus': 1.5, 'memory': 0.1}"
"""
BITBRAINS = (
    "Timestamp [ms];\tCPU cores;\tCPU capacity provisioned [MHZ];\tCPU usage [MHZ];\tCPU usage [%];\tMemory\n"
    "1376314846;\t4;\t11703.99;\t1;\t93.25;\t6\n1376315146;\t4;\t11703.99\n1376315446;\t4;\t11703.99;\t1;\t3.25;\t6\n"
)
ANY = "when|cpu %|note\n" + "".join(
    f"2026-01-01T00:00:{at}Z|{load}|a\n" for at, load in (("00", 10), (10, '"20"'), (20, "?"), (30, 40))
)


def sadf_json(*rows, tz='"utc": 1'):
    stamps = [
        f'{{"timestamp": {{"date": "2026-03-01", "time": "{time}", {tz}, "interval": 600}},\n"cpu-load": [\n'
        f'{{"cpu": "all", "user": 1.00, "iowait": {wait}, "idle": {idle}}},\n'
        '{"cpu": "0", "user": 1.00, "iowait": 0.00, "idle": 50.00}\n]}\n'
        for time, idle, wait in rows
    ]
    return (
        '{"sysstat": {\n"hosts": [\n{"nodename": "db1", "number-of-cpus": 2, "file-date": "2026-03-01", "timezone": "UTC",\n'
        f'"statistics": [\n{",".join(stamps)}],"restarts": [{{"boot": {{"date": "2026-03-01"}}}}]}}]}}}}\n'
    )


SADF_JSON = sadf_json(
    ("00:10:01", 90, 3), ("00:20:01", 70, 5), ("00:30:01", '"seventy"', 5), ("00:50:01", "20.00", "0.00")
)


def mpstat(date, *rows, node="db1"):
    samples = [
        f'{{"timestamp": "{time}", "cpu-load": [{{"cpu": "all", "usr": {100 - idle}, "iowait": 0.00, "idle": {idle}}},'
        f' {{"cpu": "1", "usr": {100 - one}, "idle": {one if one is not None else 0}}}]}}'
        for time, idle, one in rows
    ]
    head = f'{{"sysstat": {{"hosts": [{{"nodename": "{node}", "date": "{date}", "statistics": ['
    return head + ",\n".join(samples) + "]}]}}\n"


NIGHT = mpstat(
    "03/01/26",
    ("23:59:58", 70, 100),
    ("24:59:59", 60, 50),
    ("00:00:00", 50, 50),
    ("12:00:01 AM", 25, 50),
    ("00:00:02", 0, 10),
)


def apart(seconds, node, loads):
    """mpstat's samples so far apart, from midnight on."""
    times = (divmod(seconds * (n + 1), 3600) for n in range(len(loads)))
    return mpstat(
        "2026-03-01",
        *((f"{h:02}:{s // 60:02}:{s % 60:02}", 100 - 100 * load, 0) for (h, s), load in zip(times, loads)),
        node=node,
    )


SECONDS, TENS = [n % 120 < 60 for n in range(240)], [1, 0, 1, 0]
SAR = """Linux 6.1.0-18-amd64 (db1) \t03/01/26 \t_x86_64_\t(2 CPU)

12:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
12:10:01 AM     all      5.00      0.00      2.00      3.00      0.00     90.00
12:10:01 AM       0     50.00      0.00      0.00      0.00      0.00     50.00
12:20:01 AM     all     20.00      0.00      5.00      5.00      0.00     70.00

12:00:01 AM    kbmemfree %memused
12:10:01 AM    1000 50.00
Average:        all     12.50      0.00      3.50      4.00      0.00     80.00
"""


def counter(mode, values, cpu=0, step=15, name="node_cpu_seconds_total"):
    points = [[1000.5 + step * i, str(value)] for i, value in enumerate(values)]
    labels = {"__name__": name, "cpu": str(cpu), "instance": "db1:9100", "mode": mode}
    return {"metric": labels, "values": points}


def answer(*series):
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


PROM = answer(
    counter("idle", [100, 107.5, 115, 2, 17]),
    counter("iowait", [10, 13, 13, 0, 0]),
    counter("user", [100, 107.5]),
    counter("idle", [100, 115, "x", 2, 2], 1),
)
RATIO = """[{"metric":{"rack":"a"},"values":[[0,"0.25"],[60,"0.5"],[120,"NaN"],[180,"0.75"]]},
{"metric":{"rack":"b"},"values":[[0,"0.75"],[60,"0.5"]]}]
"""


def scraped(share, every, step, seconds):
    """What a counter that grows by this share shows of its scrapes."""
    return [round(share * (at // every * every), 6) for at in range(0, seconds, step)]


IDLE_C, WAIT_C = "db1/cpu/percent-idle-2026-03-01", "db1/cpu/percent-wait-2026-03-01"
COLLECTD = {
    "db1/cpu-0/cpu-idle-2026-03-01": "epoch,value\n0.5,100\n10.5,600\n20.5,many\n30.5,2600\n",
    "db1/cpu-0/cpu-idle-2026-03-02": "epoch,value\n40.5,2600\n50",
    "db1/cpu-0/cpu-user-2026-03-01": "epoch,value\n0.5,0\n10.5,100\n",
    "db1/cpu-0/cpu-wait-2026-03-01": "epoch,value\n0.5,0\n10.5,100\n20.5,100\n30.5,100\n40.5,100\n",
}
PERCENT = {IDLE_C: "epoch,value\n10,50.000000\n20,25.000000\n", WAIT_C: "epoch,value\n10,10.000000\n20,0.000000\n"}
TWO_CPUS = {
    "db1/cpu-0/cpu-idle-2026-04-01": "epoch,value\n10,nan\n20,50.000000\n30,100.000000\n",
    "db1/cpu-1/cpu-idle-2026-04-01": "epoch,value\n10.1,nan\n20.1,0.000000\n30.1,100.000000\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ssimport(capsysbinary, files, *words):
    """Status, the records in seconds as `TIME LOAD`, and what is said; of one text the file is f."""
    files = {"f": files} if isinstance(files, (str, bytes)) else files
    for name, content in files.items():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    status = execute([*words, *files])
    out, err = (text.decode() for text in capsysbinary.readouterr())
    if "," in out:
        return status, out, err.removeprefix("ssimport: ").rstrip("\n")
    with open("out.trace", "w") as file:
        file.write(out)
    records = read_trace("out.trace") if out else None
    trace = (
        "" if records is None else " ".join(f"{ns / 1e9:.9g} {load:.6g}" for ns, load in records.iloc[:, :2].to_numpy())
    )
    return status, trace, err.removeprefix("ssimport: ").rstrip("\n")


@pytest.mark.parametrize(
    "files, words, trace, said",
    [
        (SADF_MORE, "", "0 0.07 600 0.25 2400 0.8 3000 0.8", "f: sadf, 3 samples; 1 line left out, the first is line 7: found 'seventy', expected a percentage; 1 gap of 20min, in which the load before holds"),
        (SADF_MORE, "--cpu 0", "0 0.5 600 0.5", "f: sadf, 1 sample"),
        (SADF, "--strict", "0 0.07 600 0.25 1200 0.25", "f: sadf, 2 samples$"),
        (SADF.replace(" UTC", ""), "", "0 0.07 600 0.25 1200 0.25", "2 times without a zone, taken as UTC"),
        (SADF.replace(" UTC", ""), "--zone Europe/Berlin", "0 0.07 600 0.25 1200 0.25", "taken as Europe/Berlin"),
        # The clock goes back from 03:00 to 02:00, as sadf -t writes it, and forward from 02:00 to 03:00.
        (SADF_HEAD + "".join(f"a;1800;2026-10-25 {at};-1;{load};0;0;0;0;{100 - load}\n" for at, load in (("02:30:00", 10), ("03:00:00", 20), ("02:30:00", 30), ("03:00:00", 40))), "", "0 0.1 1800 0.2 3600 0.3 5400 0.4 7200 0.4", "f: sadf, 4 samples; 4 times without a zone, taken as UTC"),
        (SADF_HEAD + "".join(f"a;1800;2026-03-29 {at};-1;{load};0;0;0;0;{100 - load}\n" for at, load in (("01:30:00", 10), ("03:00:00", 20), ("03:30:00", 30))), "", "0 0.1 1800 0.2 3600 0.3 5400 0.3", "f: sadf, 3 samples; 3 times without a zone, taken as UTC"),
        ({"a": SADF_HEAD + SADF.splitlines(True)[1], "b": SADF_HEAD + SADF.splitlines(True)[3]}, "", "0 0.07 600 0.25 1200 0.25", "a: sadf, 2 samples"),
        ({"a": SADF, "b": SADF.replace("00:20:01", "later")}, "", "0 0.07 600 0.25 1200 0.25", "the first is line 4 of b: found '2026-03-01 later UTC', expected a time; 1 sample out of order, put in its place; 1 sample left out for an earlier one of its time"),
        # ---- JSON of sysstat, and its text
        (SADF_JSON, "", "0 0.07 600 0.25 2400 0.8 3000 0.8", "f: sadf, 3 samples; 1 line left out, the first is line 15: found no idle time, or no number, expected percentages; 1 gap of 20min, in which the load before holds"),
        (SADF_JSON.replace("\n", ""), "", "0 0.07 600 0.25 2400 0.8 3000 0.8", "sadf, 3 samples"),
        (SADF_JSON.replace('"utc": 1', '"tz": "UTC"'), "--cpu 0", "0 0.5 3000 0.5", "f: sadf, 4 samples; 1 gap of 10min, in which the load before holds"),
        (SADF_JSON.replace('"utc": 1', '"tz": "CET"'), "", "0 0.07 600 0.25 2400 0.8 3000 0.8", "3 times without a zone, taken as UTC"),
        (SADF_JSON[:700], "", "0 0.07 600 0.25 1200 0.25", "f: sadf, 2 samples; f is cut off, and what is whole of it is used"),
        (NIGHT, "", "0 0.3 2 0.5 3 0.75 4 1 5 1", "f: mpstat, 4 samples; 1 line left out, the first is line 2: found '03/01/26' and '24:59:59', expected a date and a time; 1 gap of 1s, in which the load before holds"),
        (NIGHT.replace('"usr": 0, "idle": 100', '"usr": 0, "idle": 0'), "--cpu 1", "0 0.5 2 0.9 3 0.9", "1 sample without a load left out"),
        *((mpstat(date, ("10:00:01", 50, 0), ("10:00:02", 25, 0)), "", "0 0.5 1 0.75 2 0.75", "f: mpstat, 2 samples$") for date in ("25/03/26", "25/03/2026", "25.03.2026", "2026-03-25", "whenever")),
        ({"a": mpstat("31/01/26", ("23:59:59", 50, 0), ("00:00:00", 50, 0)), "b": mpstat("01/02/26", ("00:00:01", 25, 0))}, "", "0 0.5 2 0.75 3 0.75", "a: mpstat, 3 samples$"),
        ({"a": mpstat("03/01/26", ("23:59:59", 50, 0), ("00:00:00", 50, 0)), "b": mpstat("03/02/26", ("00:00:01", 25, 0))}, "", "0 0.5 2 0.75 3 0.75", "a: mpstat, 3 samples; dates taken as month, day and year"),
        (NIGHT[:-80], "", "0 0.3 2 0.5 3 0.75 4 0.75", "f is cut off, and what is whole of it is used; 1 line left out"),
        ({"a": mpstat("2026-03-01", ("00:01:00", 100, 0), ("00:02:00", 0, 0)), "b": mpstat("2026-03-01", ("00:01:00", 0, 0), ("00:02:00", 0, 0), node="b")}, "--mean-of all", "0 0.5 60 1 120 1", "a: mpstat, 4 samples"),
        ({node: apart(1, node, SECONDS) for node in "ab"}, "--mean-of all", "0 1 60 0 120 1 180 0 240 0", "a: mpstat, 480 samples$"),
        ({node: apart(600, node, TENS) for node in "ab"}, "--mean-of all", "0 1 600 0 1200 1 1800 0 2400 0", "a: mpstat, 8 samples$"),
        (SAR, "", "0 0.07 600 0.25 1200 0.25", "f: sar, 2 samples"),
        (SAR.replace(".", ",").replace(" AM", ""), "--cpu 0", "0 0.5 1 0.5", "f: sar, 1 sample"),
        # ---- Our own
        (LOAD, "", "0 0.25 0.5 0.75 1.5 1 2 1", "f: cpuload, 3 samples; 1 line left out, the first is line 4: found 'x', expected a load: a number such as 10.5; 1 gap of 500ms, in which the load before holds"),
        (LOG, "", "0 0.9 1 0.4 2.5 0.3 3 0.3", "f: log, 3 samples; 1 sample without a load left out; 1 gap of 500ms, in which the load before holds"),
        (LOG, "--column target", "0 0.5 1.5 0.25 2 0.25", "1 sample without a load left out"),
        ({"a": ONE, "b": TWO}, "", "0 0.25 1 0.5 3 0.75 4 1 5 1", "a: cpuload, 4 samples; 1 gap of 1s, in which the load before holds"),
        (ONE, "--time time_s", "0 0.25 1 0.5 2 0.5", "f: cpuload, 2 samples"),
        ("\ufefftime_s,monotonic_s,load\r\n1,1,0.5\r\n2,2,0.75\r\n", "", "0 0.5 1 0.75 2 0.75", "f: cpuload, 2 samples"),
        # ---- The public traces
        (ALI, "--machine m_1", "0 0.1 10 0.2 30 0.4 40 0.4", "f: alibaba, 7 samples; 1 line left out, the first is line 3: found 'thirty'"),
        (ALI, "--machine m_2", "0 0.5 10 0.6 20 1 30 1", "1 sample out of order, put in its place; 1 sample left out for an earlier one of its time; 1 load outside 0 to 1, cut"),
        (BOTH, "--mean-of all", "0 0.3 10 0.4 20 1 30 0.4 40 0.4", "f: alibaba, 6 samples"),
        (BOTH, "--mean-of m_1,m_2 --step 20s", "0 0.35 20 0.7 40 0.7", "f: alibaba, 6 samples"),
        (BOTH, "--mean-of m_2", "0 0.5 10 0.6 20 1 30 1", "1 load outside 0 to 1, cut"),
        ("m_1,0,10,,,,,,\nm_1,0,90,,,,,,\nm_1,10,20,,,,,,\nm_1,5,20,,,,,,\n", "--mean-of all", "0 0.133333 10 0.2 20 0.2", "4 samples; 1 sample out of order, put in its place; 1 sample left out for an earlier one of its time"),
        (ALI, "--machine m_1 --column mem_util_percent", "0 0.5 40 0.5", "f: alibaba, 8 samples"),
        (ALI, "--machines", "machine,samples,span,mean,maximum\nm_1,3,30s,0.233333,0.4\nm_2,4,20s,0.775,1.01\n", "f: alibaba, 7 samples; 1 line left out"),
        (AZURE, "", "0 0.105 600 0.3 900 0.3", "f: azure, 2 samples; 1 line left out"),
        # One of two users of a machine of two processors is there for half of an interval.
        (GOOGLE, "--capacity 2", "0 0.5 300 0.75 600 0.75", "f: google, 3 samples; 1 line left out"),
        ({"7.csv": BITBRAINS}, "", "0 0.9325 600 0.0325 900 0.0325", "7.csv: bitbrains, 2 samples; 1 sample without a load left out; 1 gap of 5min"),
        ({"7.csv": BITBRAINS}, "--machines", "machine,samples,span,mean,maximum\n7,2,10min,0.4825,0.9325\n", "7.csv: bitbrains, 2 samples"),
        # ---- Anything
        (ANY, "--from csv --delimiter | --time when --load cpu_%", "0 0.1 10 0.2 30 0.4 40 0.4", "csv, 3 samples; 1 line left out, the first is line 4: found '?', expected a load: a number such as 10.5; 1 gap of 10s"),
        (ANY, "--from csv --delimiter | --time 1 --column 2 --stamp end", "0 0.1 10 0.2 30 0.4 40 0.4", "csv, 3 samples"),
        ("1767225600000 0.5\n1767225660000 0.25\n", "--from csv", "0 0.5 60 0.25 120 0.25", "f: csv, 2 samples"),
        ("1767225600100 0.5\n1767225600200 0.25\n", "--from csv", "0 0.5 0.1 0.25 0.2 0.25", "f: csv, 2 samples"),
        ("1767225600.1 0.5\n1767225600.2 0.25\n", "--from csv", "0 0.5 0.1 0.25 0.2 0.25", "f: csv, 2 samples"),
        ("0,50\n1,60\n2,70\n", "--from csv --unit percent", "0 0.5 1 0.6 2 0.7 3 0.7", "f: csv, 3 samples"),
        ("time,cpu,load\n0,0,0.7\n1,0,0.6\n2,1,0.8\n", "--from csv", "0 0.7 1 0.6 2 0.8 3 0.8", "f: csv, 3 samples"),
        # What spreadsheets and dashboards write.
        ("time;load\n01/03/2026 10:00;10,5%\n01/03/2026 10:05;20,25 %\n", "--from csv", "0 0.105 300 0.2025 600 0.2025", "f: csv, 2 samples; 2 times without a zone, taken as UTC; dates taken as month, day and year"),
        ("time;load\n10,5;10\n20,5;20,5\n", "--from csv --unit percent", "0 0.1 10 0.205 20 0.205", "f: csv, 2 samples$"),
        ("time;load\n13.03.2026 10:00;0,5\n13.03.2026 10:05;0,25\n", "--from csv --zone Europe/Berlin", "0 0.5 300 0.25 600 0.25", "taken as Europe/Berlin"),
        ('sep=,\r\n"Time","cpu"\r\n"2026-03-01 18:30:00","45.2%"\r\n"2026-03-01 18:30:15","0.5%"\r\n', "--from csv", "0 0.452 15 0.005 30 0.005", "f: csv, 2 samples; 2 times without a zone"),
        ("time,cpu\n31/01/2026 23:00,0.5\n01/02/2026 00:00,0.25\n", "--from csv", "0 0.5 3600 0.25 7200 0.25", "f: csv, 2 samples; 2 times without a zone, taken as UTC"),
        ("time,cpu\n2026-10-25 02:30:00,0.5\n2026-10-25 02:45:00,0.6\n2026-10-25 02:00:00,0.25\n2026-10-25 02:15:00,0.1\n", "--from csv --zone Europe/Berlin", "0 0.5 900 0.6 1800 0.25 2700 0.1 3600 0.1", "4 times without a zone, taken as Europe/Berlin"),
        # ---- Series: 0.3 and 0; then 0.5 of the first alone; a gap; 0 and 1
        (PROM, "", "0 0.15 15 0.5 60 0.5", "f: prometheus, 8 samples; 1 line left out, the first is line 1: found '[1030.5, \"x\"]', expected a time and a number; 3 resets of counters, gaps; 1 gap of 15s, in which the load before holds"),
        (PROM, "--cpu 0", "0 0.3 15 0.5 45 0 60 0", "2 resets of counters, gaps; 1 gap of 15s"),
        (answer(counter("idle", scraped(0.9, 60, 15, 600))), "", "0 0.1 540 0.1", "f: prometheus, 36 samples$"),
        (answer(counter("idle", scraped(0.9, 60, 15, 600)), counter("idle", scraped(0.5, 60, 15, 600), 1)), "", "0 0.3 540 0.3", "f: prometheus, 72 samples$"),
        (answer(counter("idle", scraped(0.9, 60, 15, 630)[2:])), "", "0 0.1 540 0.1", "f: prometheus, 36 samples$"),
        (answer(counter("idle", [0, 15, 15, 15, 30])), "", "0 0 15 1 45 0 60 0", "f: prometheus, 4 samples"),
        (RATIO, "--column rack --machine a", "0 0.25 60 0.5 180 0.75 240 0.75", "1 sample without a load left out; 1 gap of 1min"),
        (RATIO, "--column rack --mean-of a,b --step 1min", "0 0.5 180 0.75 240 0.75", "f: prometheus, 5 samples"),
        (RATIO.replace('"0.75"', '"75"').replace('"0.5"', '"50"'), "--unit percent --machine rack=b", "0 0.75 60 0.5 120 0.5", "f: prometheus"),
        (RATIO, "--machines", "machine,samples,span,mean,maximum\nrack=a,3,3min,0.5,\nrack=b,2,1min,0.625,\n", "f: prometheus, 5 samples"),
        (COLLECTD, "", "0 0.4 10 0 30 1 40 1", "collectd, 7 samples; 2 lines left out, the first is line 4 of db1/cpu-0/cpu-idle-2026-03-01: found 'many', expected a number"),
        (PERCENT, "", "0 0.4 10 0.75 20 0.75", "collectd, 4 samples"),
        (TWO_CPUS, "", "0 0.75 10 0 20 0", "2 samples without a load left out"),
        (TWO_CPUS, "--cpu 1", "0 1 10 0 20 0", "1 sample without a load left out"),
        (PERCENT, "--machines", "machine,samples,span,mean,maximum\ndb1,4,10s,0.575,\n", "collectd, 4 samples"),
    ],
)  # fmt: skip
def test_histories(capsysbinary, files, words, trace, said):
    found = ssimport(capsysbinary, files, *(word.replace("cpu_%", "cpu %") for word in words.split()))
    assert found[:2] == (0, trace), found
    assert said in f"{found[2]}$"


@pytest.mark.parametrize(
    "files, words, message",
    [
        (SADF_MORE, "--strict", "f:7: found 'seventy', expected a percentage"),
        (SADF_MORE.replace("seventy", "70"), "--strict", "f: sadf, 4 samples; 1 gap of 10min, in which the load before holds: expected none of that, with --strict"),
        (SADF_JSON[:700], "--strict", "f: found the end of the file within JSON: it is cut off"),
        (SADF_JSON, "--strict", "f:15: found no idle time, or no number, expected percentages"),
        (SADF_JSON.replace(',{"timestamp"', '{"timestamp"', 1).replace("]}\n,", "]}\n", 1).replace('"interval": 600}', '"interval" 600}', 1), "", "f:5: found broken JSON (Expecting ':' delimiter)"),
        ('{"sysstat": {"hosts": [{"file-date": "2026-03-01", "statistics": []}]}}', "", 'f: found no "cpu-load", expected it (sadf -j FILE -- -u)'),
        ({"a": mpstat("31/01/26", ("00:00:01", 1, 0)), "b": mpstat("01/31/26", ("00:00:01", 1, 0))}, "", "found the dates '31/01/26', '01/31/26', expected all of one kind"),
        (SAR.replace("%idle", "%idles"), "", "f: found no column %idle, expected what sar -u prints (or sadf -d FILE -- -u)"),
        ({"a": "time_s,load\n1,0.25\n", "b": "time_s,load\n1,0.25\n"}, "", "a: found no column for the time of several files in 'time_s,load', expected --time to say which it is"),
        *((LOAD, option, f"f: found {option.split()[0]}, expected none of that: cpuload ") for option in ("--machine a", "--mean-of all", "--cpu 0", "--capacity 2", "--step 1s")),
        *((SADF, option, f"f: found {option.split()[0]}, expected none of that: sadf ") for option in ("--column load", "--time 1", "--unit percent", "--delimiter ;", "--capacity 2", "--step 1s")),
        *((SADF, f"--machines {option}", f"found --machines, which makes no trace, and {option.split()[0]}") for option in ("--machine m_1", "--mean-of all", "--step 1s", "--smooth")),
        (ALI, "", "f: found the machines 'm_1' and 'm_2', expected --machine or --mean-of to say which of them, or --machines to list all"),
        (ALI, "--machine m_3", "f: found no sample of m_3 (--machines lists what there is)"),
        (BOTH, "--mean-of m_1,m_9", "f: found no sample of m_9 (--machines lists what there is)"),
        ("m_1,0,10,,,,,,\nm_1,0,90,,,,,,\n", "--strict --mean-of all", ": expected none of that, with --strict"),
        (GOOGLE, "", "f: --capacity is missing: expected what a machine's usage is to be divided by"),
        ("0,50\n1,60\n2,70\n", "--from csv", "f: found 3 of 3 loads outside 0 to 1, expected fractions (--unit percent, --column)"),
        ("0,50\n1,60\n2,70\n", "--from csv --column nothing", "f: found no column 'nothing' for the load, expected one of the 2 in '0,50'"),
        ("0,50\n", "--from csv --column 3", "f: found no column '3' for the load, expected one of the 2 in '0,50'"),
        ("a,load\n10,5\n20,25\n", "--from csv", "f: found no column for the time in 'a,load', expected --time to say which it is"),
        ("time,b\n10,5\n20,25\n", "--from csv", "f: found no column for the load in 'time,b', expected --column to say which it is"),
        ("time,load\n0,0,35\n1,0.5\n", "--from csv", "f:2: found 3 fields, expected 2 as in the first line; for decimal commas: other marks between columns, or points"),
        ("time,cpu\n1,5%\n2,6\n", "--from csv", "f: found loads with and without a percent sign"),
        ("time,cpu\n31/01/2026 10:00,1\n01/31/2026 10:00,1\n", "--from csv", "f: found no sample"),
        ("\n \n", "--from csv", "f: found blank lines alone, expected samples"),
        ("", "--from csv", "f: found nothing, expected a recording: it is empty"),
        ("time,cpu\n1,0.5\n".encode("utf-16"), "--from csv", "f: found text in UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8)"),
        ("0 0.5\n", "", "f: found no format that is known, expected"),
        ({"a": SADF, "b": LOAD}, "", "b: found cpuload, expected sadf as in the file before"),
        (PROM[:300], "", "f: found the end of the file within JSON: it is cut off"),
        (PROM, "--strict", "f:1: found '[1030.5, \"x\"]', expected a time and a number"),
        (PROM, "--column rack", "f: found a series without the label 'rack', expected it (--column)"),
        (PROM, "--time when", "f: found --time, expected none of that: prometheus has its own times"),
        (RATIO, "", "f: found the machines 'rack=a' and 'rack=b', expected"),
        ('{"status":"error","errorType":"bad_data","error":"invalid parameter"}', "", "f: found the error 'invalid parameter' instead of an answer"),
        ('{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"2"]}]}}', "", "f: found a result of type 'vector', expected matrix, of a range query"),
        (answer(counter("", [1, 2])), "", "f: found the counter 'node_cpu_seconds_total' without the label 'mode', expected node_cpu_seconds_total"),
        ('{"metric": ' + "[" * 100000, "", "f: found "),
        (PERCENT, "--cpu 1", f"{IDLE_C}: found the mean of all processors, expected files in cpu-1 (--cpu)"),
        ({"load.txt": PERCENT[IDLE_C]}, "", "load.txt: found a file of another name, expected HOST/cpu-N/percent-STATE-DATE"),
        (gzip.compress(SADF.encode())[:60], "--from sadf", "f: found the end of the file within compressed data: it is cut off"),
        (lzma.compress(SADF.encode())[:20] + b"x" * 100, "--from sadf", "f: found damaged xz data"),
        (lzma.compress(SADF.encode(), filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 512 << 20}]), "", "f: found data that take more than 256 MiB of memory to decompress"),
        (LOAD, "--zone Mars/Olympus", "--zone: found 'Mars/Olympus', expected a name such as Europe/Berlin"),
        (LOAD, "--from sarr", "--from: 'sarr' is malformed: expected cpuload, log, sadf"),
        (LOAD, "--delimiter ab", "--delimiter: 'ab' is malformed: expected one character, or tab"),
        (LOAD, "--machine a --mean-of b", "found --machine and --mean-of, expected one of them"),
        (LOAD, "-o f", "--output: f is one of the files to read: expected another file"),
        (LOAD, "- -", "found '-' 2 times, expected standard input once"),
        (LOAD, "--from a\x01b", "--from: 'a?b' is malformed"),
        (LOAD, "--mashine a", "unknown option '--mashine': did you mean --machine? (see ssimport --help)"),
        (LOAD, "-o no/where", "can't write no/where: No such file or directory"),
    ],
)  # fmt: skip
def test_refused(capsysbinary, files, words, message):
    status, out, error = ssimport(capsysbinary, files, *words.split())
    assert (status, out) == (125, "") and message in error, error


@pytest.mark.parametrize("packed", ["gzip", "xz", "zstd"])
def test_compressed_files(capsysbinary, packed):
    zstandard = pytest.importorskip("zstandard")
    pack = {"gzip": gzip.compress, "xz": lzma.compress, "zstd": zstandard.ZstdCompressor().compress}[packed]
    head, rest = SADF[:80].encode(), SADF[80:].encode()
    for content in (pack(head + rest), pack(head) + pack(rest)):
        assert ssimport(capsysbinary, content) == (0, "0 0.07 600 0.25 1200 0.25", "f: sadf, 2 samples")
    assert "it is cut off" in ssimport(capsysbinary, pack(head + rest)[:-12], "--from", "sadf")[2]


def test_smooth_lines_have_the_same_means(capsysbinary):
    draw = random.Random(7)
    loads = [1 if t % 5 == 0 else 0 if t % 7 == 0 else round(draw.random(), 4) for t in range(2000)]
    text = "".join(f"{10 * t},{load}\n" for t, load in enumerate(loads))
    status, out, _ = ssimport(capsysbinary, text, "--smooth", "--from", "csv")
    time, load = np.array(out.split(), float).reshape(-1, 2).T
    areas = np.diff(time) * (load[1:] + load[:-1]) / 2
    means = np.bincount(((time[1:] + time[:-1]) / 20).astype(int).clip(max=1999), areas) / 10
    assert status == 0 and 0 <= load.min() <= load.max() <= 1
    assert np.abs(means - loads).max() < 1e-5


def test_the_output_is_a_file_and_the_input_a_pipe(capsysbinary, monkeypatch):
    read, write = os.pipe()
    os.write(write, SADF.encode())
    os.close(write)
    saved = os.dup(0)
    os.dup2(read, 0)
    try:
        assert ssimport(capsysbinary, {}, "-o", "out")[::2] == (0, "standard input: sadf, 2 samples")
    finally:
        os.dup2(saved, 0)
    with open("out") as file:
        assert file.readline() == "interpolate step\n"


def test_what_is_refused_leaves_the_output_as_it_was(capsysbinary):
    with open("out", "w") as file:
        file.write("as it was")
    assert ssimport(capsysbinary, LOAD, "-o", "out", "--strict")[0] == 125
    with open("out") as file:
        assert file.read() == "as it was"


@pytest.mark.parametrize(
    "rules, message",
    [
        ({"format": "sarr"}, "format: found 'sarr', expected cpuload, log, sadf"),
        ({"unit": "per cent"}, "unit: found 'per cent', expected found, fraction, percent"),
        ({"stamp": "middle"}, "stamp: found 'middle', expected found, start, end"),
        ({"machine": "a", "mean_of": "all"}, "found --machine and --mean-of, expected one of them"),
    ],
)
def test_options_that_are_wrong_are_refused_in_programs_too(rules, message):
    with pytest.raises(InputError) as error:
        read_history("f", **rules)
    assert str(error.value).startswith(message)


def test_frames():
    with open("f", "w") as file:
        file.write(SADF_MORE)
    with pytest.warns(InputWarning, match="f: sadf|sadf, 3 samples; 1 line left out"):
        frame = read_history("f")
    assert frame["load"].tolist() == pytest.approx([0.07, 0.25, 0.25, 0.8])
    assert frame["is_gap"].tolist() == [False, False, True, False]
    assert frame["time_unix_s"].tolist() == [1772323801 + 600 * n for n in (0, 1, 3, 4)]
    with open("f", "w") as file:
        file.write(BOTH)
    assert list_machines("f")["machine"].tolist() == ["m_1", "m_2"]
    with pytest.warns(InputWarning, match="1 gap"):
        assert read_history("f", machine="m_1")["time_unix_s"].isna().all()
    with open("f", "w") as file:
        file.write(ALI)
    with pytest.warns(InputWarning, match="1 line left out"):
        list_machines("f")


def test_texts_are_the_same_everywhere(capsysbinary, monkeypatch):
    text = "time;load\n2026-03-01 10:00;10,5%\n2026-03-01 10:05;20,25%\n"
    found = ssimport(capsysbinary, text, "--from", "csv")
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert ssimport(capsysbinary, text, "--from", "csv") == found


@pytest.mark.parametrize(
    "words, answer",
    [(["--ma"], "--machine\tof several"), (["--from", "pro"], "prometheus\t"), (["--unit="], "--unit=percent\t"), (["-o", ""], ":file\t")],
)  # fmt: skip
def test_completion(capsysbinary, words, answer):
    assert execute(["--complete", *words]) == 0
    assert answer in capsysbinary.readouterr()[0].decode()
