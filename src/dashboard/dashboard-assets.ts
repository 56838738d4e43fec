import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { publicPathOf, rootAbove } from '../platform/http/own-address';

/** A font, which is already compressed. */
const FONT = 'font/woff2';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': FONT,
};

export type Encoding = 'br' | 'gzip' | 'identity';

/** A file of the built dashboard, cached in memory. All files together take about 130 KB. */
export interface Asset {
  type: string;
  etag: string;
  /** True if the file name contains a hash of the content, so that browsers may cache the file forever. */
  isImmutable: boolean;
  /** True if the content is already compressed. */
  isCompressed: boolean;
  body: Buffer;
}

const PAGES = new Map([
  ['/', '/index.html'],
  ['/docs', '/docs/index.html'],
  ['/docs/', '/docs/index.html'],
]);

/** The build's output, relative to dist and to src. */
const DIRECTORIES = [join(__dirname, '../public'), join(__dirname, '../../dist/public')];

/**
 * The files of the built dashboard by URL path. Empty if there is no build. They are cached in memory, so that a new
 * build on disk can't break a running service. The ETag is derived from the content, so that every instance sends the
 * same one.
 */
@Injectable()
export class DashboardAssets {
  private readonly assets = new Map<string, Asset>();
  private readonly compressed = new Map<string, Promise<Buffer>>();

  constructor({ publicUrl }: Config) {
    const directory = DIRECTORIES.find((each) => existsSync(join(each, 'index.html')));
    if (directory === undefined) return;
    this.load(directory);
    for (const [path, file] of PAGES) {
      const page = this.assets.get(file);
      if (page) this.assets.set(path, publicPathOf(publicUrl) === '' ? page : withRoot(page, rootAbove(path)));
    }
  }

  get isBuilt(): boolean {
    return this.assets.size > 0;
  }

  find(path: string): Asset | undefined {
    return this.assets.get(path);
  }

  /** Returns the body in an encoding. It is compressed once per process, on the thread pool. */
  encoded(asset: Asset, encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return Promise.resolve(asset.body);
    const key = `${encoding} ${asset.etag}`;
    const cached = this.compressed.get(key);
    if (cached) return cached;
    const body = encoding === 'br' ? brotli(asset.body) : gzipped(asset.body);
    this.compressed.set(key, body);
    return body;
  }

  private load(directory: string): void {
    for (const name of readdirSync(directory, { recursive: true })) {
      const file = join(directory, String(name));
      const type = TYPES[extname(file)];
      if (type === undefined || !statSync(file).isFile()) continue;
      const path = `/${relative(directory, file).split(sep).join('/')}`;
      if (path.startsWith('/help/')) continue;
      const body = readFileSync(file);
      this.assets.set(path, {
        type,
        etag: etagOf(body),
        isImmutable: /^(\/docs)?\/assets\//.test(path),
        isCompressed: type === FONT,
        body,
      });
    }
  }
}

export const etagOf = (body: Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;

/**
 * Returns a page with relative URLs, for a service that runs below a path. Scripts and styles find their files relative
 * to their own URL.
 */
function withRoot(page: Asset, root: string): Asset {
  const body = Buffer.from(page.body.toString().replace(/(\s(?:href|src)=")\//g, `$1${root}/`));
  return { ...page, body, etag: etagOf(body) };
}

const gzipped = promisify(gzip) as (body: Buffer) => Promise<Buffer>;
const brotli = (body: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
