import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** What scrypt costs: 128 × 2^ln × r bytes, p times one after the other. */
export interface HashCost {
  ln: number;
  r: number;
  p: number;
}

/** OWASP's third row of scrypt (Password Storage Cheat Sheet): 32 MiB, about a tenth of a second. */
export const HASH_COST: HashCost = { ln: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

interface Stored extends HashCost {
  salt: Buffer;
  hash: Buffer;
}

/** As it is stored, in the PHC string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. Runs in a thread of libuv. */
export async function hashPassword(password: string, cost: HashCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Whether the password is the stored one; `outdated` when it is and was hashed for less than `cost`. `null`, where there is
 * none, takes the same time and is wrong.
 */
export async function comparePassword(
  password: string,
  stored: string | null,
  cost: HashCost,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const known = stored === null ? null : parse(stored);
  const { salt, hash, ...with_ } = known ?? { ...cost, salt: NO_SALT, hash: NO_HASH };
  const isSame = timingSafeEqual(await derive(password, salt, with_), hash);
  const isRight = isSame && known !== null;
  return { isRight, isOutdated: isRight && workOf(with_) < workOf(cost) };
}

const NO_SALT = Buffer.alloc(SALT_BYTES);
const NO_HASH = Buffer.alloc(HASH_BYTES);

const workOf = ({ ln, r, p }: HashCost): number => 2 ** ln * r * p;
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** `null` for what this service has not written. */
function parse(stored: string): Stored | null {
  const [, ln, r, p, salt, hash] = STORED.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) return null;
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function derive(password: string, salt: Buffer, { ln, r, p }: HashCost): Promise<Buffer> {
  const N = 2 ** ln;
  return new Promise((resolve, reject) => {
    // Node refuses what needs more than 32 MiB unless told: the blocks, those of p, and a page to spare.
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 128 * r * (N + p + 2) + 4096 }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}
