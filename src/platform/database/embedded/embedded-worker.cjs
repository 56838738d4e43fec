'use strict';
/**
 * The embedded PostgreSQL in a worker thread. PGlite has one session, which this file shares between many `pg` clients.
 * Each client speaks the standard wire protocol over its own MessagePort. A client's messages are collected up to the
 * point at which a server would reply (a unit). The units of all clients run one at a time. While a client has an open
 * transaction, only that client's units run. This file is plain JavaScript, because the worker is loaded without the
 * compiler.
 */
const { statfsSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { giveFilesTo } = require('./owned-files.cjs');
require('./engine-flags.cjs');
if (workerData.owner) giveFilesTo(workerData.owner);
const { openEngine } = require('./embedded-engine.cjs');

/** How long a client waits for another client's idle transaction before it gets SQLSTATE 55P03. */
const PATIENCE_MS = workerData.patienceMs ?? 5000;
const TICK_MS = 250;
/** The number of units that run in one turn of the event loop before new clients and timers are served. */
const UNITS_PER_TURN = 16;

const TYPE = { query: 0x51, sync: 0x53, flush: 0x48, copyDone: 0x63, copyFail: 0x66, terminate: 0x58 };
const ENDS_UNIT = new Set([TYPE.query, TYPE.sync, TYPE.flush, TYPE.copyDone, TYPE.copyFail]);
const PROTOCOL_3 = 196608;
const CANCEL_REQUEST = 80877102;

let database;
let isVolumeLow = false;
/** When the volume was last checked, as a monotonic time. */
let volumeAt = -Infinity;
/** Whether the engine was set to read-only because of low disk space. */
let isReadOnly = false;
let owner = null;
let idleTicks = 0;
/**
 * This timer runs only while a client waits for an idle transaction. Otherwise this thread has no timer, so nothing
 * wakes it.
 */
let patience = null;
let pumping = false;
let closing = false;
let connections = 0;
/** @type {{ client: object, message: Uint8Array, type: number, waitedTicks: number }[]} */
const queue = [];

function frame(type, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.writeUInt8(type.charCodeAt(0));
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const uint32 = (...values) => Buffer.from(new Uint32Array(values).map(swap32).buffer);
const swap32 = (n) => ((n >>> 24) | ((n >>> 8) & 0xff00) | ((n << 8) & 0xff0000) | (n << 24)) >>> 0;
const idleStatus = () => frame('Z', Buffer.from('I'));

const greeting = () =>
  Buffer.concat([
    frame('R', uint32(0)),
    ...Object.entries({
      server_version: '18.6 (embedded)',
      server_encoding: 'UTF8',
      client_encoding: 'UTF8',
      DateStyle: 'ISO, MDY',
      IntervalStyle: 'postgres',
      TimeZone: 'GMT',
      integer_datetimes: 'on',
      standard_conforming_strings: 'on',
    }).map(([name, value]) => frame('S', name, value)),
    frame('K', uint32(process.pid, ++connections)),
    idleStatus(),
  ]);

function failure(code, message) {
  const fields = { S: 'ERROR', V: 'ERROR', C: code, M: message };
  return frame('E', ...Object.entries(fields).map(([field, text]) => Buffer.from(`${field}${text}\0`)), Buffer.of(0));
}

/** A MessagePort transfers only whole buffers, so a slice of a pooled buffer must be copied. */
function send(client, buffer) {
  if (client.gone || buffer.length === 0) return;
  const bytes = new Uint8Array(buffer);
  client.port.postMessage(bytes, [bytes.buffer]);
}

function enqueue(client, type, message) {
  queue.push({ client, type, message, waitedTicks: 0 });
  if (!pumping) void pump();
}

async function pump() {
  pumping = true;
  try {
    for (let units = 0; ; units++) {
      const next = owner === null ? 0 : queue.findIndex((unit) => unit.client === owner);
      if (next < 0 || queue.length === 0) break;
      if (units >= UNITS_PER_TURN) {
        units = 0;
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      if (owner === null) await applyVolumeState();
      const [unit] = queue.splice(next, 1);
      await (unit.type === TYPE.terminate ? release(unit.client) : run(unit));
    }
  } finally {
    pumping = false;
    if (isWaiting()) patience ??= setInterval(watchWaiters, TICK_MS).unref();
  }
}

const isWaiting = () => owner !== null && !pumping && queue.length > 0;

async function run({ client, message, type }) {
  const replies = [];
  idleTicks = 0;
  // execProtocolRaw keeps every parsed reply forever. The stream variant doesn't, but its chunks are views of WASM
  // memory.
  await database.execProtocolRawStream(message, {
    syncToFs: false,
    onRawData: (chunk) => replies.push(Buffer.from(chunk)),
  });
  // After Flush, the batch is still open. Another client's unit in between would destroy its unnamed statement.
  owner = database.isInTransaction() || type === TYPE.flush ? client : null;
  send(client, Buffer.concat(replies));
}

/**
 * Applies the state of the volume. Without free space, the engine panics when it needs the next log segment. If free
 * space is below the reserve, the session rejects writes with 25006. Reads still work, and writes work again once there
 * is enough space.
 */
async function applyVolumeState() {
  if (workerData.directory !== null && performance.now() - volumeAt >= TICK_MS) checkVolume();
  if (isVolumeLow === isReadOnly) return;
  isReadOnly = isVolumeLow;
  await database.exec(`SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
}

function checkVolume() {
  volumeAt = performance.now();
  const { bavail, bsize } = statfsSync(workerData.directory);
  isVolumeLow = bavail * bsize < workerData.reserveBytes;
}

/** Serves one client: the startup message, then frames collected into units. */
function attach(port) {
  const client = { port, gone: false, started: false };
  let pending = Buffer.alloc(0);
  let unit = [];

  const disconnect = () => {
    if (client.gone) return;
    client.gone = true;
    for (let i = queue.length - 1; i >= 0; i--) if (queue[i].client === client) queue.splice(i, 1);
    // Queued even if the client has no transaction, because the statement in flight may open one.
    enqueue(client, TYPE.terminate, null);
    port.close();
  };

  port.on('close', disconnect);
  port.on('message', (chunk) => {
    pending = pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([pending, chunk]);
    while (!client.gone) {
      if (!client.started) {
        if (pending.length < 8 || pending.length < pending.readUInt32BE(0)) return;
        const version = pending.readUInt32BE(4);
        pending = pending.subarray(pending.readUInt32BE(0));
        if (version === PROTOCOL_3) {
          client.started = true;
          send(client, greeting());
        } else if (version === CANCEL_REQUEST) disconnect();
        else send(client, Buffer.from('N'));
        continue;
      }
      if (pending.length < 5 || pending.length < pending.readUInt32BE(1) + 1) return;
      const size = pending.readUInt32BE(1) + 1;
      const type = pending[0];
      if (type === TYPE.terminate) return disconnect();
      unit.push(pending.subarray(0, size));
      pending = pending.subarray(size);
      if (!ENDS_UNIT.has(type)) continue;
      enqueue(client, type, new Uint8Array(Buffer.concat(unit)));
      unit = [];
    }
  });
}

/** Rolls back a disconnected client's open transaction. */
async function release(client) {
  if (owner !== client) return;
  await run({ client, type: TYPE.query, message: new Uint8Array(frame('Q', 'ROLLBACK')) });
  owner = null;
}

/**
 * Fails units that wait for another client's idle transaction. Counts ticks instead of time, so that time during which
 * the host is suspended doesn't count.
 */
function watchWaiters() {
  if (owner === null || queue.length === 0) {
    clearInterval(patience);
    patience = null;
  }
  if (!isWaiting()) return;
  idleTicks += 1;
  for (const unit of queue) unit.waitedTicks += 1;
  const limit = Math.ceil(PATIENCE_MS / TICK_MS);
  if (idleTicks < limit) return;
  for (let i = queue.length - 1; i >= 0; i--) {
    const { client, type, waitedTicks } = queue[i];
    if (waitedTicks < limit || type === TYPE.terminate) continue;
    queue.splice(i, 1);
    const text =
      'waited too long for the open transaction of another connection; the embedded database has only one session: ' +
      'inside a transaction, use its own manager';
    send(client, Buffer.concat([failure('55P03', text), idleStatus()]));
  }
}

/** The engine's last fatal message with details before it stopped. */
let lastWords = '';

/** Parses a line such as `2026-11-28 10:25:17.560 UTC [42] PANIC:  could not open file …` */
function listen(line) {
  const [, level, sentence = ''] = /\] (PANIC|FATAL|DETAIL): {2}(.*)/.exec(line) ?? [];
  const text = sentence.replace(/\.$/, '');
  if (level === 'DETAIL') lastWords = lastWords && `${lastWords}. ${text}`;
  else if (level !== undefined) lastWords = text;
}

/** Opens the engine. Its own error is only "Aborted()", so the reason is taken from earlier messages. */
async function open() {
  try {
    return await openEngine(workerData, { onStderr: listen });
  } catch (error) {
    if (error.message.startsWith('DATA_DIR:')) throw error;
    throw Object.assign(new Error(lastWords || error.message), { code: 'ENGINE_FAILED' });
  }
}

async function close() {
  closing = true;
  const isBusy = () => pumping || (owner !== null && queue.length > 0);
  while (isBusy()) await new Promise((resolve) => setTimeout(resolve, 5));
  if (owner !== null) await release(owner);
  await database.exec('CHECKPOINT');
  await database.close();
}

async function main() {
  database = await open();
  // A server would restart after a PANIC. PGlite would keep running but never reply again.
  database.mod.onAbort = () => process.exit(workerData.panicCode);
  parentPort.on('message', (message) => {
    if (message.port && !closing) attach(message.port);
    if (message.close) void close().then(() => process.exit(0));
  });
  parentPort.postMessage('ready', []);
}

void main();
