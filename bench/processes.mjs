// CPU time and memory of whole process trees, read from /proc on Linux.
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks are 10 ms on every Linux system that Node runs on. */
const TICK_MS = 10;

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function table() {
  const processes = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(`/proc/${pid}/stat`);
    if (stat === '') continue;
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // Fields after the name: 1 is the parent, 11 user time, 12 system time, and 13 and 14 the user and system time of
    // children that have exited.
    processes.set(Number(pid), {
      parent: fields[1],
      cpuMs: (fields[11] + fields[12] + fields[13] + fields[14]) * TICK_MS,
    });
  }
  return processes;
}

function members(all, roots) {
  const found = new Set(roots.filter((pid) => all.has(pid)));
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    for (const [pid, { parent }] of all) {
      if (!found.has(pid) && found.has(parent)) {
        found.add(pid);
        hasGrown = true;
      }
    }
  }
  return found;
}

/** Returns the CPU milliseconds used so far by the process trees under `roots`, including children that have exited. */
export function cpuMs(roots) {
  const all = table();
  return [...members(all, roots)].reduce((sum, pid) => sum + all.get(pid).cpuMs, 0);
}

/** Returns megabytes. Shared pages are divided among the processes that share them. */
export function pssMb(roots) {
  const kilobytes = [...members(table(), roots)].map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024;
}

/**
 * Returns the CPU milliseconds that each thread of a process has used so far, to the nanosecond: thread ID → `{ name,
 * ms }`.
 */
export function threadsMs(pid) {
  const threads = new Map();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const [ns] = read(`/proc/${pid}/task/${id}/schedstat`).split(' ');
    threads.set(Number(id), { name: read(`/proc/${pid}/task/${id}/comm`).trim(), ms: Number(ns ?? 0) / 1e6 });
  }
  return threads;
}

/** Returns the CPU milliseconds that all processes on the machine have used so far. */
export function machineMs() {
  const [, user, nice, system, , , irq, softirq] = /^cpu +(.+)$/m.exec(read('/proc/stat'))[0].split(/ +/).map(Number);
  return (user + nice + system + irq + softirq) * TICK_MS;
}
