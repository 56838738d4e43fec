import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One record of `disk-recorder.cjs`. Paths are relative to the recorded directory, which is `''`. */
export type DiskOperation =
  | { readonly op: 'open'; readonly fd: number; readonly path: string; created: boolean; truncated: boolean }
  | { readonly op: 'close'; readonly fd: number }
  | { readonly op: 'write'; readonly fd: number; readonly at: number }
  | { readonly op: 'ftruncate'; readonly fd: number; readonly size: number }
  | { readonly op: 'truncate'; readonly path: string; readonly size: number }
  | { readonly op: 'mkdir' | 'unlink' | 'rmdir'; readonly path: string }
  | { readonly op: 'rename' | 'link'; readonly from: string | null; readonly to: string | null }
  | { readonly op: 'sync'; readonly fd: number; readonly id: string }
  | { readonly op: 'synced'; readonly id: string };

/** The files after a power cut: the bytes of each file, or `null` for a directory. */
export type DiskImage = ReadonlyMap<string, Uint8Array | null>;

/** The unit that a disk writes completely or not at all. */
const SECTOR = 512;

/** A change of a file that may not be on the disk yet. `time` orders it among all changes. */
type FileChange = { readonly time: number } & (
  { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number }
);

/** A change of the names in a directory. It reaches the disk completely or not at all. */
interface NameChange {
  readonly time: number;
  readonly names: ReadonlyMap<string, Node | null>;
}

class FileNode {
  private stored: Uint8Array;
  size = 0;
  pending: FileChange[] = [];

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.stored = bytes;
    this.size = bytes.length;
  }

  /** Applies the changes before a time to the stored content. */
  store(before: number): void {
    const later = this.pending.filter(({ time }) => time >= before);
    for (const change of this.pending) if (change.time < before) this.apply(change);
    this.pending = later;
  }

  private apply(change: FileChange): void {
    const end = 'bytes' in change ? Math.max(this.size, change.at + change.bytes.length) : change.size;
    if (end > this.stored.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.stored.length));
      grown.set(this.stored.subarray(0, this.size));
      this.stored = grown;
    }
    if ('bytes' in change) this.stored.set(change.bytes, change.at);
    else this.stored.fill(0, Math.min(change.size, this.size), Math.max(change.size, this.size));
    this.size = end;
  }

  /** Returns the content after a power cut. */
  after(losses: Losses): Uint8Array {
    const stored = this.stored.subarray(0, this.size);
    if (this.pending.length === 0) return stored;
    const copy = new FileNode(Uint8Array.from(stored));
    for (const change of this.pending) for (const part of losses.partsOf(change)) copy.apply(part);
    return copy.stored.subarray(0, copy.size);
  }
}

class DirectoryNode {
  /** The names that programs see. */
  readonly seen = new Map<string, Node>();
  private readonly stored = new Map<string, Node>();
  pending: NameChange[] = [];

  change(time: number, names: ReadonlyMap<string, Node | null>): void {
    apply(this.seen, names);
    this.pending.push({ time, names });
  }

  store(before: number): void {
    for (const { time, names } of this.pending) if (time < before) apply(this.stored, names);
    this.pending = this.pending.filter(({ time }) => time >= before);
  }

  after(losses: Losses): ReadonlyMap<string, Node> {
    const left = new Map(this.stored);
    for (const { names } of this.pending) if (losses.keepsNames()) apply(left, names);
    return left;
  }
}

type Node = FileNode | DirectoryNode;

function apply(to: Map<string, Node>, names: ReadonlyMap<string, Node | null>): void {
  for (const [name, node] of names)
    if (node === null) to.delete(name);
    else to.set(name, node);
}

/** Returns numbers from 0 up to 1 that depend only on the seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Decides which parts remain of the changes that no program waited for. */
interface Losses {
  keepsNames(): boolean;
  /** Returns the change, nothing, or some sectors of a write. */
  partsOf(change: FileChange): Iterable<FileChange>;
}

const NO_LOSSES: Losses = { keepsNames: () => true, partsOf: (change) => [change] };

/** A power cut that loses any of the changes that no program waited for. */
export class PowerCut implements Losses {
  private readonly keeps: number;

  constructor(private readonly random: () => number) {
    // Keeps nothing, everything, or a part of the data that the system had not been asked to store.
    this.keeps = [0, 1, random(), random()][Math.floor(4 * random())] ?? 0;
  }

  keepsNames(): boolean {
    return this.random() < this.keeps;
  }

  *partsOf(change: FileChange): Generator<FileChange> {
    if (!('bytes' in change) || this.random() < 0.7) {
      if (this.random() < this.keeps) yield change;
      return;
    }
    const { time, at, bytes } = change;
    for (let from = 0; from < bytes.length;) {
      const to = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR));
      if (this.random() < this.keeps) yield { time, at: at + from, bytes: bytes.subarray(from, to) };
      from = to;
    }
  }
}

/**
 * A disk that plays recorded operations and returns its possible contents after a power cut. Everything that a
 * program waited for is there. Each later write is there, missing, or there in some of its sectors. Each later change
 * of names in a directory is there or missing, even the name of a new file whose content is there.
 */
export class SimulatedDisk {
  private readonly top = new DirectoryNode();
  private readonly files = new Map<number, Node>();
  private readonly syncs = new Map<string, { node: Node; time: number }>();
  private time = 0;
  /** While it is true, waits of programs have no effect, like the disk of a program that never waits. */
  ignoresSyncs = false;

  /** Returns a disk on which all of an image is stored. */
  static of(image: DiskImage): SimulatedDisk {
    const disk = new SimulatedDisk();
    for (const [path, bytes] of image)
      if (path !== '') disk.name(path, bytes === null ? new DirectoryNode() : new FileNode(Uint8Array.from(bytes)));
    disk.storeAll(disk.top);
    return disk;
  }

  play(operation: DiskOperation, bytes: Uint8Array): void {
    this.time += 1;
    switch (operation.op) {
      case 'open':
        if (operation.created) this.name(operation.path, new FileNode());
        this.files.set(operation.fd, this.find(operation.path));
        if (operation.truncated) this.changeFile(this.find(operation.path), { time: this.time, size: 0 });
        return;
      case 'close':
        this.files.delete(operation.fd);
        return;
      case 'write':
        return this.changeFile(this.opened(operation.fd), { time: this.time, at: operation.at, bytes });
      case 'ftruncate':
        return this.changeFile(this.opened(operation.fd), { time: this.time, size: operation.size });
      case 'truncate':
        return this.changeFile(this.find(operation.path), { time: this.time, size: operation.size });
      case 'mkdir':
        return this.name(operation.path, new DirectoryNode());
      case 'unlink':
      case 'rmdir':
        return this.name(operation.path, null);
      case 'link':
        return this.name(known(operation.to), this.find(known(operation.from)));
      case 'rename':
        return this.rename(known(operation.from), known(operation.to));
      case 'sync':
        this.syncs.set(operation.id, { node: this.opened(operation.fd), time: this.time });
        return;
      case 'synced':
        return this.synced(operation.id);
    }
  }

  /** Returns everything that programs have written, as the running system shows it. */
  whole(): DiskImage {
    return this.after(NO_LOSSES);
  }

  /** Returns the contents after a power cut at this moment. */
  after(losses: Losses): DiskImage {
    const image = new Map<string, Uint8Array | null>();
    const add = (path: string, node: Node): void => {
      if (node instanceof FileNode) return void image.set(path, node.after(losses));
      image.set(path, null);
      for (const [name, child] of node.after(losses)) add(path === '' ? name : `${path}/${name}`, child);
    };
    add('', this.top);
    return image;
  }

  private synced(id: string): void {
    const sync = this.syncs.get(id);
    this.syncs.delete(id);
    if (!this.ignoresSyncs) sync?.node.store(sync.time);
  }

  private storeAll(node: Node): void {
    node.store(Infinity);
    if (node instanceof DirectoryNode) for (const child of node.seen.values()) this.storeAll(child);
  }

  private opened(descriptor: number): Node {
    const node = this.files.get(descriptor);
    if (node === undefined) throw new Error(`descriptor ${descriptor} is not open`);
    return node;
  }

  private changeFile(node: Node, change: FileChange): void {
    if (!(node instanceof FileNode)) throw new Error('a directory was written to');
    node.pending.push(change);
  }

  private find(path: string): Node {
    let node: Node = this.top;
    for (const name of path === '' ? [] : path.split('/')) {
      const next: Node | undefined = node instanceof DirectoryNode ? node.seen.get(name) : undefined;
      if (next === undefined) throw new Error(`${path} does not exist`);
      node = next;
    }
    return node;
  }

  /** Returns the directory of a path, and its name there. */
  private place(path: string): { directory: DirectoryNode; name: string } {
    const at = path.lastIndexOf('/');
    const directory = this.find(path.slice(0, Math.max(at, 0)));
    if (!(directory instanceof DirectoryNode)) throw new Error(`${path} is not in a directory`);
    return { directory, name: path.slice(at + 1) };
  }

  private name(path: string, node: Node | null): void {
    const { directory, name } = this.place(path);
    directory.change(this.time, new Map([[name, node]]));
  }

  private rename(from: string, to: string): void {
    const [before, after] = [this.place(from), this.place(to)];
    if (before.directory !== after.directory) throw new Error('renames between directories are not simulated');
    before.directory.change(
      this.time,
      new Map<string, Node | null>([
        [before.name, null],
        [after.name, this.find(from)],
      ]),
    );
  }
}

function known(path: string | null): string {
  if (path === null) throw new Error('a file was moved into the recorded directory or out of it');
  return path;
}

export function writeImage(image: DiskImage, directory: string): void {
  for (const [path, bytes] of image)
    if (bytes === null) mkdirSync(join(directory, path), { recursive: true, mode: 0o700 });
    else writeFileSync(join(directory, path), bytes, { mode: 0o600 });
}
