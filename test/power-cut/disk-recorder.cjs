'use strict';
/**
 * Records everything that a process writes below a directory, in order, with each wait for the disk. Load it with
 * `node -r`, in all threads. POWER_CUT_ROOT is then the directory, and POWER_CUT_LOG the file that the records are
 * appended to. A program can also require it before anything else and call `record`. Functions of `fs` that would
 * write unrecorded throw an error.
 */
const fs = require('node:fs');
const path = require('node:path');
const { threadId } = require('node:worker_threads');

const real = { ...fs, promises: { ...fs.promises } };
/** Descriptors of files below the root, with the position of the next write without a position. */
const positions = new Map();
let root = null;
let append = () => {};
let syncs = 0;

const inRoot = (name) => {
  if (root === null || typeof name !== 'string') return null;
  const full = path.resolve(name);
  if (full === root) return '';
  return full.startsWith(root + path.sep) ? full.slice(root.length + 1) : null;
};

/** Encodes one record: the lengths of its two parts, the operation as JSON, and the bytes of a write. */
function encode(operation, bytes = Buffer.alloc(0)) {
  const text = Buffer.from(JSON.stringify(operation));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, text, bytes]);
}

const bytesOf = (data, offset = 0, length) => {
  const bytes =
    typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.subarray(offset, length === undefined ? undefined : offset + length);
};

function opened(descriptor, name, existed, flags) {
  const at = inRoot(name);
  if (at === null) return;
  const truncates = typeof flags === 'string' ? flags.startsWith('w') : (flags & fs.constants.O_TRUNC) !== 0;
  positions.set(descriptor, 0);
  append({ op: 'open', fd: descriptor, path: at, created: !existed, truncated: existed && truncates });
}

function openSync(name, flags = 'r', mode) {
  const existed = inRoot(name) === null || real.existsSync(name);
  const descriptor = real.openSync(name, flags, mode);
  opened(descriptor, name, existed, flags);
  return descriptor;
}

/** Recorded first, because another thread can get the same number as soon as the file is closed. */
function forget(descriptor) {
  if (positions.delete(descriptor)) append({ op: 'close', fd: descriptor });
}

function wrote(descriptor, bytes, position) {
  if (!positions.has(descriptor)) return;
  const at = typeof position === 'number' ? position : positions.get(descriptor);
  if (typeof position !== 'number') positions.set(descriptor, at + bytes.length);
  append({ op: 'write', fd: descriptor, at }, bytes);
}

function writeSync(descriptor, data, offsetOrOptions, length, position) {
  const isText = typeof data === 'string';
  const written = real.writeSync(descriptor, data, offsetOrOptions, length, position);
  if (isText) wrote(descriptor, bytesOf(data).subarray(0, written), offsetOrOptions);
  else wrote(descriptor, bytesOf(data, offsetOrOptions ?? 0, written), position);
  return written;
}

function writeFileSync(name, data, options = {}) {
  if (typeof name === 'number' || inRoot(name) === null) return real.writeFileSync(name, data, options);
  const descriptor = openSync(name, options.flag ?? 'w', options.mode ?? 0o666);
  try {
    const bytes = bytesOf(data);
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, null);
  } finally {
    forget(descriptor);
    real.closeSync(descriptor);
  }
}

const waited = (descriptor, work) => {
  if (!positions.has(descriptor)) return work();
  const id = `${threadId}.${++syncs}`;
  append({ op: 'sync', fd: descriptor, id });
  const result = work();
  append({ op: 'synced', id });
  return result;
};

const named =
  (method, record) =>
  (name, ...more) => {
    const result = real[method](name, ...more);
    const at = inRoot(name);
    if (at !== null) append(record(at, ...more));
    return result;
  };

function renameSync(from, to) {
  real.renameSync(from, to);
  if (inRoot(from) !== null || inRoot(to) !== null) append({ op: 'rename', from: inRoot(from), to: inRoot(to) });
}

function linkSync(from, to) {
  real.linkSync(from, to);
  if (inRoot(to) !== null) append({ op: 'link', from: inRoot(from), to: inRoot(to) });
}

function mkdirSync(name, options = {}) {
  if (inRoot(name) === null || !options.recursive) {
    const result = real.mkdirSync(name, options);
    if (inRoot(name) !== null) append({ op: 'mkdir', path: inRoot(name) });
    return result;
  }
  if (real.existsSync(name)) return undefined;
  const above = mkdirSync(path.dirname(path.resolve(name)), options);
  mkdirSync(name, { mode: options.mode });
  return above ?? path.resolve(name);
}

function rmSync(name, options = {}) {
  if (inRoot(name) === null) return real.rmSync(name, options);
  const found = real.lstatSync(name, { throwIfNoEntry: false });
  if (found === undefined && options.force) return undefined;
  if (!found?.isDirectory()) return recorded.unlinkSync(name);
  for (const entry of real.readdirSync(name)) rmSync(path.join(name, entry), options);
  return recorded.rmdirSync(name);
}

const recorded = {
  openSync,
  writeSync,
  writeFileSync,
  renameSync,
  linkSync,
  mkdirSync,
  rmSync,
  closeSync: (descriptor) => {
    forget(descriptor);
    real.closeSync(descriptor);
  },
  ftruncateSync: (descriptor, size = 0) => {
    real.ftruncateSync(descriptor, size);
    if (positions.has(descriptor)) append({ op: 'ftruncate', fd: descriptor, size });
  },
  truncateSync: named('truncateSync', (at, size = 0) => ({ op: 'truncate', path: at, size })),
  unlinkSync: named('unlinkSync', (at) => ({ op: 'unlink', path: at })),
  rmdirSync: named('rmdirSync', (at) => ({ op: 'rmdir', path: at })),
  fsyncSync: (descriptor) => waited(descriptor, () => real.fsyncSync(descriptor)),
  fdatasyncSync: (descriptor) => waited(descriptor, () => real.fdatasyncSync(descriptor)),
};

/** Unlike the synchronous functions, the asynchronous ones take time between two records. */
const later = {
  async open(name, flags = 'r', mode) {
    const existed = inRoot(name) === null || real.existsSync(name);
    const handle = await real.promises.open(name, flags, mode);
    opened(handle.fd, name, existed, flags);
    if (positions.has(handle.fd)) watch(handle);
    return handle;
  },
  async rename(from, to) {
    renameSync(from, to);
  },
  async rm(name, options) {
    rmSync(name, options);
  },
  async unlink(name) {
    recorded.unlinkSync(name);
  },
  async mkdir(name, options) {
    return mkdirSync(name, options);
  },
  async writeFile(name, data, options) {
    if (typeof name !== 'string' || inRoot(name) === null) return real.promises.writeFile(name, data, options);
    return writeFileSync(name, data, options);
  },
};

function watch(handle) {
  const descriptor = handle.fd;
  const refuse = (what) => () => {
    throw new Error(`the recorder does not see FileHandle.${what}`);
  };
  const synced = (method) => async () => {
    const id = `${threadId}.${++syncs}`;
    append({ op: 'sync', fd: descriptor, id });
    await method.call(handle);
    append({ op: 'synced', id });
  };
  const { close, sync, datasync } = handle;
  Object.assign(handle, {
    sync: synced(sync),
    datasync: synced(datasync),
    close: () => {
      forget(descriptor);
      return close.call(handle);
    },
    writeFile: async (data) => {
      const bytes = bytesOf(data);
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, null);
    },
    ...Object.fromEntries(['write', 'writev', 'appendFile', 'truncate'].map((name) => [name, refuse(name)])),
  });
}

/** Functions that change files and aren't used yet, with the position of the path among their arguments. */
const UNSEEN = {
  sync: ['appendFileSync', 'writevSync', 'symlinkSync', 'copyFileSync', 'cpSync', 'mkdtempSync'],
  callback: [
    'rename',
    'unlink',
    'rm',
    'rmdir',
    'mkdir',
    'truncate',
    'link',
    'symlink',
    'copyFile',
    'cp',
    'writeFile',
    'appendFile',
  ],
  promises: ['appendFile', 'truncate', 'link', 'symlink', 'copyFile', 'cp', 'rmdir', 'mkdtemp'],
};

function refuseUnseen(target, names) {
  for (const name of names) {
    const original = target[name];
    target[name] = (...words) => {
      if (words.slice(0, 2).some((word) => (typeof word === 'number' ? positions.has(word) : inRoot(word) !== null)))
        throw new Error(`the recorder does not see fs.${name}`);
      return original.apply(target, words);
    };
  }
}

/** Replaces the functions of `fs`. Until `record` names a directory, they behave as usual. */
function install() {
  Object.assign(fs, recorded);
  Object.assign(fs.promises, later);
  refuseUnseen(fs, [...UNSEEN.sync, ...UNSEEN.callback]);
  refuseUnseen(fs.promises, UNSEEN.promises);
  const { open } = fs;
  fs.open = (name, flags, ...more) => {
    const writes = typeof flags === 'string' ? flags !== 'r' : typeof flags === 'number' && (flags & 3) !== 0;
    if (writes && inRoot(name) !== null) throw new Error('the recorder does not see fs.open');
    return open(name, flags, ...more);
  };
}

/** Records every write below a directory from now on. `take` receives each record. Returns a function that stops it. */
function record(directory, take) {
  root = path.resolve(directory);
  append = take;
  return () => {
    root = null;
    append = () => {};
    positions.clear();
  };
}

install();
const { POWER_CUT_ROOT, POWER_CUT_LOG } = process.env;
if (POWER_CUT_ROOT !== undefined && POWER_CUT_LOG !== undefined) {
  const log = real.openSync(POWER_CUT_LOG, 'a');
  record(POWER_CUT_ROOT, (operation, bytes) => real.writeSync(log, encode(operation, bytes)));
}

module.exports = { record, encode };
