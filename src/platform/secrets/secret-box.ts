import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The prefix for values that are stored without encryption. */
const PLAIN = 'plain:';
const ENVELOPE = /^v1:([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+={0,2})$/;

/** The error for a stored value that can't be decrypted. The message contains at most the key ID, never the value. */
export class SecretUnreadable extends Error {}

/** Returns the ID of the key with which a stored value was encrypted, or `null` if the value is not encrypted. */
export const sealingKeyId = (sealed: string): string | null => ENVELOPE.exec(sealed)?.[1] ?? null;

/**
 * Encrypts values that must not be readable in a stolen database. Uses AES-256-GCM with a random nonce per value,
 * stored as `v1:<key id>:<base64 of nonce, tag and ciphertext>`. The first key in `SECRETS_KEYS` is used to encrypt.
 * All keys can decrypt. The context (the value's row and column) is authenticated, so a value that was moved elsewhere
 * can't be decrypted. Without keys, values are stored as `plain:<text>`, so that keys can be introduced later.
 */
@Injectable()
export class SecretBox {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly sealingKey: { id: string; key: Buffer } | null;

  /** Throws if two keys share an ID, because values encrypted with one of them could never be decrypted. */
  constructor(config: Config) {
    const keys = config.secretsKeys.map(parseKey);
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
    if (this.keys.size < keys.length) throw new Error('SECRETS_KEYS: every key needs its own id');
    this.sealingKey = keys[0] ?? null;
  }

  /** False if no key is set, so that values are stored unencrypted. */
  get encrypts(): boolean {
    return this.sealingKey !== null;
  }

  /** Returns true if `open` has a key with this ID. */
  hasKey(id: string): boolean {
    return this.keys.has(id);
  }

  /**
   * Returns true if the value is encrypted as the current settings require, so that encrypting it again would change
   * nothing.
   */
  isCurrent(sealed: string): boolean {
    return sealingKeyId(sealed) === (this.sealingKey?.id ?? null);
  }

  seal(text: string, context: string): string {
    if (!this.sealingKey) return PLAIN + text;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.sealingKey.key, iv).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `v1:${this.sealingKey.id}:${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64')}`;
  }

  /**
   * Decrypts a stored value. Throws `SecretUnreadable` if the key is missing, the value is damaged, or the context
   * differs.
   */
  open(sealed: string, context: string): string {
    if (sealed.startsWith(PLAIN)) return sealed.slice(PLAIN.length);
    const [, id, encoded] = ENVELOPE.exec(sealed) ?? [];
    if (id === undefined || encoded === undefined) throw new SecretUnreadable('a stored secret is damaged');
    const key = this.keys.get(id);
    if (!key)
      throw new SecretUnreadable(`a stored secret was encrypted with key "${id}", which is missing from SECRETS_KEYS`);
    return decrypt(key, Buffer.from(encoded, 'base64'), context);
  }
}

function parseKey(setting: string): { id: string; key: Buffer } {
  const colon = setting.indexOf(':');
  return { id: setting.slice(0, colon), key: Buffer.from(setting.slice(colon + 1), 'base64') };
}

function decrypt(key: Buffer, bytes: Buffer, context: string): string {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new SecretUnreadable('a stored secret is damaged or belongs to another row');
  }
}
