#!/usr/bin/env python3
"""Soak of `ramus translate`:  soak.py RAMUS GOLDEN [--model FILE] [--text FILE] [--lines N] [--minutes M] [--flat KB]

N lines go through `translate` with 2 threads, twice: a line comes out for each, both outputs have one hash, and resident
memory is at the end what it was after a tenth of them. Then a pipe without an end runs for M minutes, and memory stays, too.
TEXT is read again and again until there are N lines; without it, the sentences of tests/golden. Without a model, the one
that ships."""
import argparse
import hashlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time

options = argparse.ArgumentParser()
options.add_argument('ramus')
options.add_argument('golden')
options.add_argument('--model')
options.add_argument('--text')
options.add_argument('--lines', type=int, default=1000000)
options.add_argument('--minutes', type=float, default=30)
options.add_argument('--flat', type=int, default=4096, help='KB that memory may grow')
options = options.parse_args()

with open(options.text or options.golden + '/text/sample.en-de.txt', 'rb') as f:
    sentences = f.read().split(b'\n')[:-1]
if not options.text:
    sentences = sentences[::2]  # the English ones
command = [options.ramus, 'translate', '--threads', '2', '-q', '--beam', '1']
if options.model:
    command += ['-m', options.model]


def resident(process):
    with open('/proc/%d/status' % process.pid) as f:
        for line in f:
            if line.startswith('VmRSS'):
                return int(line.split()[1])
    return 0


def soak(lines, seconds):
    """Lines in, lines out, their hash, and memory after a tenth and at its most after that, in KB."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    start = time.monotonic()
    sent = [0]

    def feed():
        try:
            for sentence in itertools.cycle(sentences):
                if sent[0] == lines or seconds and time.monotonic() - start > seconds:
                    break
                process.stdin.write(sentence + b'\n')
                sent[0] += 1
            process.stdin.close()
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    got, hashed, early, most, looked = 0, hashlib.sha256(), 0, 0, 0
    for line in process.stdout:
        got += 1
        hashed.update(line)
        part = (time.monotonic() - start) / seconds if seconds else got / lines
        if part < 0.1:
            early = max(early, resident(process)) if got % 64 == 0 else early
        elif got - looked >= 256:
            looked = got
            most = max(most, resident(process))
    feeder.join()
    code = process.wait()
    taken = time.monotonic() - start
    print('%d lines, exit %d, %.0f s, %d KB after a tenth, %d KB at most after that, %s' %
          (got, code, taken, early, most, hashed.hexdigest()[:16]), flush=True)
    return code == 0 and got == sent[0] and most - early <= options.flat, hashed.hexdigest()


first, second = soak(options.lines, 0), soak(options.lines, 0)
fine = first[0] and second[0] and first[1] == second[1]
if options.minutes:
    fine = soak(-1, options.minutes * 60)[0] and fine
print('soak: %s' % ('no finding' if fine else 'FAILED'))
sys.exit(0 if fine else 1)
