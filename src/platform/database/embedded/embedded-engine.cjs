'use strict';
/** Opens PGlite on a directory or in memory. Commits to a directory survive a power failure. */
const { existsSync, fdatasyncSync, mkdirSync, rmSync } = require('node:fs');
const path = require('node:path');
const { PGlite } = require('@electric-sql/pglite');
const { toDirectory, toMemory, unpackCluster } = require('./cluster-archive.cjs');
const { syncDirectory, syncOpenDirectory, syncTree, writeWhole } = require('../../files/durable-files.cjs');

const { PGDATA } = PGlite.paths;
const SETTINGS = ['shared_buffers=8MB', 'max_wal_size=64MB', 'min_wal_size=32MB', 'jit=off'];
/** By default, the engine calls fdatasync for its log. PGlite returns from that call without doing anything. */
const SYNCED_SETTINGS = ['fsync=on', 'wal_sync_method=fsync'];
const NO_SYNC = '-F';

function startParameters(isSynced) {
  const own = PGlite.defaultStartParams.filter((parameter) => parameter !== NO_SYNC);
  const settings = [...SETTINGS, ...(isSynced ? SYNCED_SETTINGS : [])];
  return [...own, ...(isSynced ? [] : [NO_SYNC]), ...settings.flatMap((setting) => ['-c', setting])];
}

/** PGlite files that only initdb, other encodings, and extension builds need. */
const UNUSED_FILES =
  /\/pgxs\/|\/utf8_and_\w+\.so$|\/libpqwalreceiver\.so$|\/share\/postgresql\/[^/]+\.(bki|sql|txt|sample)$/;

/** Frees 4 MB. PGlite keeps all its files in one buffer, so the remaining files are copied out of it. */
function dropUnusedFiles(FS) {
  const visit = (directory) => {
    for (const name of FS.readdir(directory)) {
      const path = `${directory}/${name}`;
      if (name === '.' || name === '..' || path === PGDATA) continue;
      const { node } = FS.lookupPath(path);
      if (FS.isDir(node.mode)) visit(path);
      else if (UNUSED_FILES.test(path)) FS.unlink(path);
      else if (FS.isFile(node.mode)) node.contents = node.contents.slice(0, node.usedBytes);
    }
  };
  visit(PGlite.paths.PG_ROOT);
}

/** The interface that PGlite expects from its `fs` option. */
class ClusterFiles {
  async init(engine, options) {
    this.engine = engine;
    return { emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), (module) => this.mount(module)] } };
  }

  async initialSyncFs() {}

  async syncToFs() {}

  async closeFs() {
    this.engine.Module.FS.quit();
  }
}

class FilesInMemory extends ClusterFiles {
  constructor(template) {
    super();
    this.template = template;
  }

  mount({ FS }) {
    FS.mkdirTree(PGDATA);
  }

  /** Called before PGlite looks for a cluster. */
  async initialSyncFs() {
    await unpackCluster(this.template, toMemory(this.engine.Module.FS, PGDATA));
  }
}

class FilesOnDisk extends ClusterFiles {
  constructor(root, isSynced) {
    super();
    this.root = root;
    this.isSynced = isSynced;
    /** The number of times that the engine has waited for the disk. */
    this.syncs = 0;
  }

  mount({ FS, NODEFS }) {
    if (this.isSynced) this.serveSync(FS, NODEFS);
    FS.mkdirTree(PGDATA);
    FS.mount(NODEFS, { root: this.root }, PGDATA);
  }

  /**
   * Serves the engine's fsync calls. All NODEFS files share one operations object, which has no `fsync`. If the disk
   * reports an error, the state of the disk is unknown. The engine then panics and recovers from its log at the next
   * start. When a new file is synchronized, its directory is synchronized too. PostgreSQL leaves that to the file
   * system.
   */
  serveSync(FS, NODEFS) {
    const created = new WeakSet();
    const { mknod } = NODEFS.node_ops;
    NODEFS.node_ops.mknod = (...of) => {
      const node = mknod(...of);
      created.add(node);
      return node;
    };
    NODEFS.stream_ops.fsync = ({ node, nfd }) =>
      NODEFS.tryFSOperation(() => {
        if (FS.isDir(node.mode)) syncOpenDirectory(nfd);
        else fdatasyncSync(nfd);
        if (created.delete(node)) syncDirectory(path.dirname(NODEFS.realPath(node)));
        this.syncs += 1;
        return 0;
      });
  }
}

/**
 * Opens the engine. The cluster is stored in `directory` and is created from `template` at the first start. If
 * `directory` is `null`, the cluster is kept in memory. If `sync` is true, a commit waits for the disk. `more` contains
 * additional PGlite options.
 */
async function openEngine({ directory, template, sync }, more = {}) {
  if (directory === null) return open(new FilesInMemory(template), false, more);
  const cluster = path.join(directory, 'pgdata');
  const marker = path.join(directory, 'pgdata.ready');
  const isNew = !existsSync(marker);
  if (isNew) await unpackNew(cluster, template);
  else requireCluster(cluster, marker);
  const files = new FilesOnDisk(cluster, sync);
  const opening = open(files, sync, more);
  // The engine is compiled at the same time. Clients are served only after the new cluster has been written to disk.
  const stored = isNew && sync ? syncTree(directory) : null;
  const [database] = await Promise.all([opening, stored]);
  if (sync && files.syncs === 0) throw new Error('the engine has opened its cluster without synchronizing anything');
  if (isNew) writeWhole(marker, 'The cluster in pgdata is complete. Without this file it is created again.\n');
  return database;
}

async function open(fs, isSynced, more) {
  const database = await PGlite.create({ ...more, fs, startParams: startParameters(isSynced) });
  dropUnusedFiles(database.Module.FS);
  return database;
}

/**
 * Starts over if the marker is missing. In that case, an earlier first start was interrupted before any client could
 * write.
 */
async function unpackNew(cluster, template) {
  rmSync(cluster, { recursive: true, force: true });
  mkdirSync(cluster, { mode: 0o700 });
  await unpackCluster(template, toDirectory(cluster));
}

/** If the files were missing, PGlite would create an empty cluster. */
function requireCluster(cluster, marker) {
  if (existsSync(path.join(cluster, 'PG_VERSION'))) return;
  throw new Error(
    `DATA_DIR: ${marker} exists, but ${cluster} contains no database. Restore a backup into another directory, or remove ${marker} to start with an empty database.`,
  );
}

module.exports = { openEngine };
