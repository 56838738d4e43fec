import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../platform/secrets/secret-box';

/**
 * An encrypted config in `alert.config`, `contact.config`, or a snapshot in `notification.config`. The whole config is
 * one envelope.
 */
export interface SealedConfig {
  sealed: string;
}

/** The owner of a config: an alert with its own config, or the contact that alerts share. */
export type ConfigOwner = `alert:${string}` | `contact:${string}`;

/**
 * Returns the owner of the config that an alert notifies through. `contactId` is `null` for an alert with its own
 * config.
 */
export const ownerOf = (alertId: string, contactId: string | null): ConfigOwner =>
  contactId === null ? `alert:${alertId}` : `contact:${contactId}`;

/** Every copy of a config is encrypted for its owner, so that a snapshot can be taken without decrypting it. */
export const configContext = (owner: ConfigOwner): string => `${owner}:config`;

/**
 * Encrypts and decrypts channel configs. The whole config is one envelope, not only its credentials. Which keys are
 * secret may change between releases, and no value that a client chooses can pass as an envelope.
 */
@Injectable()
export class SealedConfigs {
  constructor(private readonly secrets: SecretBox) {}

  seal(owner: ConfigOwner, config: object): SealedConfig {
    return { sealed: this.secrets.seal(JSON.stringify(config), configContext(owner)) };
  }

  /** Decrypts the config in its validated form. Throws: `SecretUnreadable`. */
  open(owner: ConfigOwner, stored: SealedConfig): object {
    return JSON.parse(this.secrets.open(stored.sealed, configContext(owner))) as object;
  }
}
