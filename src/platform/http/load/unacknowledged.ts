import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Where Linux lists the connections of this process's network, one a line, in hexadecimal. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Local and remote port, and the bytes that the other side has not acknowledged. */
const LINE = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm;
/** However many ask, the tables are read once in this time: they are long where many clients are there. */
const READ_EVERY_MS = 1000;

let newest: { at: number; table: Promise<ReadonlyMap<string, number>> } | null = null;

/**
 * Bytes of this connection that its other side has not acknowledged, at most a second ago; `null` where the system does not say,
 * which only Linux does. They become fewer with every bit that a client reads, while Node is told only when a third of the
 * system's buffer, up to some megabytes, is free again.
 */
export async function unacknowledged({ localPort = 0, remotePort = 0 }: Socket): Promise<number | null> {
  const now = performance.now();
  if (newest === null || now - newest.at > READ_EVERY_MS) newest = { at: now, table: readTables() };
  return (await newest.table).get(`${localPort} ${remotePort}`) ?? null;
}

/** By the ports. Clients of one port are added up: one of them that reads speaks for the others, and none is cut off wrongly. */
async function readTables(): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  for (const [, local = '', remote = '', bytes = ''] of texts.flatMap((text) => [...text.matchAll(LINE)])) {
    const ports = `${Number.parseInt(local, 16)} ${Number.parseInt(remote, 16)}`;
    found.set(ports, (found.get(ports) ?? 0) + Number.parseInt(bytes, 16));
  }
  return found;
}
