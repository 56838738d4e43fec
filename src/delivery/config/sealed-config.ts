import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../platform/secrets/secret-box';

/**
 * An encrypted config in `alert.config`, `contact.config`, or a snapshot in `notification.config`. The whole config is
 * encrypted as one envelope.
 */
export interface SealedConfig {
  sealed: string;
  /** A digest of the body that a user wrote. Attempts of one delivery that may have arrived keep their body. */
  format?: string;
}

/** The owner of a config: an alert with its own config, or the contact that alerts share. */
export type ConfigOwner = `alert:${string}` | `contact:${string}`;

/**
 * Returns the owner of the config that an alert uses for its notifications. `contactId` is `null` for an alert with its
 * own config.
 */
export const ownerOf = (alertId: string, contactId: string | null): ConfigOwner =>
  contactId === null ? `alert:${alertId}` : `contact:${contactId}`;

/** Every copy of a config is encrypted for its owner, so that a snapshot can be taken without decrypting the config. */
export const configContext = (owner: ConfigOwner): string => `${owner}:config`;

/**
 * Encrypts and decrypts channel configs. The whole config is encrypted as one envelope, not only its credentials. The
 * set of secret keys may change between releases, and this way no client-chosen value can be mistaken for an envelope.
 */
@Injectable()
export class SealedConfigs {
  constructor(private readonly secrets: SecretBox) {}

  seal(owner: ConfigOwner, config: object, format: string | null = null): SealedConfig {
    const sealed = this.secrets.seal(JSON.stringify(config), configContext(owner));
    return { sealed, ...(format === null ? {} : { format }) };
  }

  /** Decrypts the config and returns it in its validated form. Throws: `SecretUnreadable`. */
  open(owner: ConfigOwner, stored: SealedConfig): object {
    return JSON.parse(this.secrets.open(stored.sealed, configContext(owner))) as object;
  }
}
