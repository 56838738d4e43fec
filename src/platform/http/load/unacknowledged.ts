import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/**
 * The files in which Linux lists the TCP connections in this process's network namespace, one per line, in hexadecimal.
 */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Matches the local port, the remote port, and the number of bytes that the peer has not acknowledged. */
const LINE = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm;
/** The tables are read at most once per this interval, because they are long if there are many clients. */
const READ_EVERY_MS = 1000;

let newest: { at: number; table: Promise<ReadonlyMap<string, number>> } | null = null;

/**
 * Returns how many of this connection's bytes the peer has not acknowledged. The number is at most one second old.
 * Returns `null` on systems other than Linux. The number decreases with everything a client reads, however little. Node
 * sees progress only when a third of the system's buffer, up to a few megabytes, is free again.
 */
export async function unacknowledged({ localPort = 0, remotePort = 0 }: Socket): Promise<number | null> {
  const now = performance.now();
  if (newest === null || now - newest.at > READ_EVERY_MS) newest = { at: now, table: readTables() };
  return (await newest.table).get(`${localPort} ${remotePort}`) ?? null;
}

/**
 * Reads the tables, keyed by port pair. Clients with the same ports are added together. If one of them reads, all of
 * them count as reading, so that no client is cut off by mistake.
 */
async function readTables(): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  for (const [, local = '', remote = '', bytes = ''] of texts.flatMap((text) => [...text.matchAll(LINE)])) {
    const ports = `${Number.parseInt(local, 16)} ${Number.parseInt(remote, 16)}`;
    found.set(ports, (found.get(ports) ?? 0) + Number.parseInt(bytes, 16));
  }
  return found;
}
