import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of scrypt: 128 × 2^ln × r bytes, repeated p times in sequence. */
export interface HashCost {
  ln: number;
  r: number;
  p: number;
}

/** The third scrypt option in OWASP's Password Storage Cheat Sheet: 32 MiB, about a tenth of a second. */
export const HASH_COST: HashCost = { ln: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

interface Stored extends HashCost {
  salt: Buffer;
  hash: Buffer;
}

/**
 * Returns the stored form in the PHC string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. Runs in a libuv thread.
 * `like` is a stored password whose salt is reused. Accounts with the same email share a salt, so that one hash can be
 * compared with all of them. This way, a sign-in takes the same time however many accounts there are.
 */
export async function hashPassword(password: string, cost: HashCost, like: string | null = null): Promise<string> {
  const salt = (like === null ? null : parse(like))?.salt ?? randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Compares a password with the stored one. `isOutdated` is true if it matches and was hashed at a lower cost. If the
 * stored password is `null`, the comparison takes the same time and never matches.
 */
export async function comparePassword(
  password: string,
  stored: string | null,
  cost: HashCost,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const found = await findByPassword(password, [{ password: stored }], cost);
  return { isRight: found.isRight, isOutdated: found.isOutdated };
}

/**
 * Finds the first holder with this password. Computes one hash for all holders with the same salt and cost. Also
 * computes one hash if there is no holder, so that the time does not reveal how many there are.
 */
export async function findByPassword<Holder extends { password: string | null }>(
  password: string,
  holders: readonly Holder[],
  cost: HashCost,
): Promise<{ holder: Holder | null; isRight: boolean; isOutdated: boolean }> {
  const known = holders.flatMap((holder) => {
    const stored = holder.password === null ? null : parse(holder.password);
    return stored ? [{ holder, stored, kind: kindOf(stored) }] : [];
  });
  const hashes = new Map<string, Buffer>();
  for (const { kind, stored } of known)
    if (!hashes.has(kind)) hashes.set(kind, await derive(password, stored.salt, stored));
  if (known.length === 0) await derive(password, NO_SALT, cost);
  const same = known.filter(({ kind, stored }) => timingSafeEqual(hashes.get(kind) ?? NO_HASH, stored.hash));
  const [right] = same;
  return {
    holder: right?.holder ?? null,
    isRight: !!right,
    isOutdated: !!right && workOf(right.stored) < workOf(cost),
  };
}

const kindOf = ({ ln, r, p, salt }: Stored): string => `${ln} ${r} ${p} ${base64(salt)}`;

const NO_SALT = Buffer.alloc(SALT_BYTES);
const NO_HASH = Buffer.alloc(HASH_BYTES);

const workOf = ({ ln, r, p }: HashCost): number => 2 ** ln * r * p;
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** Returns `null` for a string that this service has not written. */
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
    // Node's default limit is 32 MiB. This limit allows for the blocks, the p blocks, and a spare page.
    scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: 128 * r * (N + p + 2) + 4096 }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}
