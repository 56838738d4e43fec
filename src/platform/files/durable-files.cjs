'use strict';
/**
 * Functions for files that must survive a power failure. When a function returns, its result is on disk. This is plain
 * JavaScript, because the embedded database's thread uses it and is loaded without the compiler.
 */
const fs = require('node:fs');
const path = require('node:path');
const { randomBytes } = require('node:crypto');

/**
 * Windows doesn't allow synchronizing a directory and doesn't need it. A parent directory may belong to another user.
 */
const CANNOT_SYNC_DIRECTORY = new Set(['EPERM', 'EACCES', 'EISDIR', 'EINVAL', 'EBADF', 'ENOTSUP']);
/** The number of files that wait for the disk at the same time. A disk can write several of them in one operation. */
const FILES_AT_ONCE = 8;

/** Runs `sync` on a directory and ignores the error on systems that don't support it. */
function tolerant(sync) {
  try {
    sync();
  } catch (error) {
    if (!CANNOT_SYNC_DIRECTORY.has(error.code)) throw error;
  }
}

function syncPath(file, sync) {
  const descriptor = fs.openSync(file, 'r');
  try {
    sync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

const syncDirectory = (directory) => tolerant(() => syncPath(directory, fs.fsyncSync));
const syncOpenDirectory = (descriptor) => tolerant(() => fs.fsyncSync(descriptor));
const syncFile = (file) => syncPath(file, fs.fdatasyncSync);

function makeDirectory(directory, mode) {
  const first = fs.mkdirSync(directory, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = path.resolve(directory); ; made = path.dirname(made)) {
    syncDirectory(path.dirname(made));
    if (made === path.resolve(first)) return;
  }
}

function writeWhole(file, text) {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    fs.writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    syncFile(draft);
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(path.dirname(file));
}

/** Returns the files and directories below a directory, and the directory itself. */
function entriesBelow(directory) {
  const files = [];
  const directories = [directory];
  for (const folder of directories)
    for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) directories.push(path.join(folder, entry.name));
      else if (entry.isFile()) files.push(path.join(folder, entry.name));
  return { files, directories };
}

/** Ignores a file that was removed since then. */
async function syncFileIfThere(file) {
  let handle;
  try {
    handle = await fs.promises.open(file, 'r');
    await handle.datasync();
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  } finally {
    await handle?.close();
  }
}

async function syncTree(directory) {
  const { files, directories } = entriesBelow(directory);
  const work = async () => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) await syncFileIfThere(file);
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  for (const folder of directories.reverse()) syncDirectory(folder);
}

module.exports = { syncDirectory, syncOpenDirectory, syncFile, syncTree, makeDirectory, writeWhole };
