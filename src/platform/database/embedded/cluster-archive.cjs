'use strict';
/**
 * Packs an embedded database cluster into a single file and unpacks it. The file is a minimal tar: it contains names,
 * sizes, and types. A file with the extension `.br` is compressed with Brotli. Archives for tests are not compressed.
 */
const fs = require('node:fs');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { createBrotliDecompress } = require('node:zlib');

const BLOCK = 512;
const MODE = { directory: 0o700, file: 0o600 };
/** Files that belong to the process that was running, and files that are created again at each start. */
const NOT_PACKED = /^(postmaster\.(pid|opts)|pg_internal\.init(\.\d+)?)$/;

const padding = (size) => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function header(name, size, type) {
  const block = Buffer.alloc(BLOCK);
  if (block.write(name) > 100) throw new Error(`${name} is too long for the archive`);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(type, 156);
  return block;
}

/** Returns the files in a closed cluster as an archive. */
function packCluster(directory) {
  const parts = [];
  const add = (folder) => {
    for (const entry of fs.readdirSync(path.join(directory, folder), { withFileTypes: true })) {
      const name = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        parts.push(header(`${name}/`, 0, '5'));
        add(name);
      } else if (!NOT_PACKED.test(entry.name)) {
        const bytes = fs.readFileSync(path.join(directory, name));
        parts.push(header(name, bytes.length, '0'), bytes, padding(bytes.length));
      }
    }
  };
  add('');
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** Reads a stream of chunks in pieces of any size. */
class Bytes {
  constructor(chunks) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.rest = Buffer.alloc(0);
  }

  /** Returns up to `most` bytes, or none at the end of the stream. */
  async some(most) {
    while (this.rest.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done) return Buffer.alloc(0);
      this.rest = value;
    }
    const part = this.rest.subarray(0, most);
    this.rest = this.rest.subarray(part.length);
    return part;
  }

  /** Passes `size` bytes to `take`, one part at a time. */
  async each(size, take) {
    for (let left = size; left > 0;) {
      const part = await this.some(left);
      if (part.length === 0) throw new Error('the archive of the cluster ends too early');
      take(part);
      left -= part.length;
    }
  }

  async exactly(size) {
    const parts = [];
    await this.each(size, (part) => parts.push(part));
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }
}

/**
 * Reads an archive as a stream, because a cluster is twenty times as large as its compressed archive.
 * `sink.directory(name)` creates a directory. `sink.file(name, size)` returns an object that receives a file:
 * `write(part)` for each part, then `end()`.
 */
function unpackCluster(archive, sink) {
  const read = async (chunks) => {
    const bytes = new Bytes(chunks);
    for (;;) {
      const block = Buffer.from(await bytes.exactly(BLOCK));
      if (block[0] === 0) break;
      const text = (from, length) => block.toString('latin1', from, from + length).replace(/\0.*/s, '');
      const name = text(0, 100);
      if (text(156, 1) === '5') {
        sink.directory(name);
        continue;
      }
      const size = Number.parseInt(text(124, 12), 8);
      const file = sink.file(name, size);
      await bytes.each(size, (part) => file.write(part));
      file.end();
      await bytes.exactly(padding(size).length);
    }
    // A second empty block ends the archive. Not reading the stream to its end would cause an error.
    while ((await bytes.some(BLOCK)).length > 0);
  };
  const unpacked = archive.endsWith('.br') ? [createBrotliDecompress()] : [];
  return pipeline(fs.createReadStream(archive), ...unpacked, read);
}

/** A sink that writes files below a directory. */
const toDirectory = (directory) => ({
  directory: (name) => fs.mkdirSync(path.join(directory, name), { recursive: true, mode: MODE.directory }),
  file: (name) => {
    const descriptor = fs.openSync(path.join(directory, name), 'wx', MODE.file);
    const write = (part) => {
      for (let done = 0; done < part.length;) done += fs.writeSync(descriptor, part, done);
    };
    return { write, end: () => fs.closeSync(descriptor) };
  },
});

/** A sink that writes files into the engine's in-memory file system. Each file is stored only once. */
const toMemory = (FS, root) => ({
  directory: (name) => FS.mkdirTree(path.posix.join(root, name), MODE.directory),
  file: (name, size) => {
    const bytes = new Uint8Array(size);
    let at = 0;
    return {
      write: (part) => {
        bytes.set(part, at);
        at += part.length;
      },
      end: () => FS.writeFile(path.posix.join(root, name), bytes, { canOwn: true, mode: MODE.file }),
    };
  },
});

module.exports = { packCluster, unpackCluster, toDirectory, toMemory };
