import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../platform/secrets/secret-box';

/** The value of `alert.config`, `contact.config` and of the snapshots in `notification.config`: the whole config in one envelope. */
export interface SealedConfig {
  sealed: string;
}

/** Whose envelope a config is in: an alert's own, or that of the contact that its alerts share. */
export type ConfigOwner = `alert:${string}` | `contact:${string}`;

/** The owner of what an alert notifies through. `contactId` is `null` for an alert with a config of its own. */
export const ownerOf = (alertId: string, contactId: string | null): ConfigOwner =>
  contactId === null ? `alert:${alertId}` : `contact:${contactId}`;

/** Every copy of a config is sealed for its owner, so that a snapshot can be taken without opening it. */
export const configContext = (owner: ConfigOwner): string => `${owner}:config`;

/**
 * Encrypts and decrypts channel configs. The whole config is one envelope, not only its credentials: which keys are
 * secret may change between releases, and nothing a client chooses can pass for an envelope.
 */
@Injectable()
export class SealedConfigs {
  constructor(private readonly secrets: SecretBox) {}

  seal(owner: ConfigOwner, config: object): SealedConfig {
    return { sealed: this.secrets.seal(JSON.stringify(config), configContext(owner)) };
  }

  /** The config as it was validated. Throws `SecretUnreadable`. */
  open(owner: ConfigOwner, stored: SealedConfig): object {
    return JSON.parse(this.secrets.open(stored.sealed, configContext(owner))) as object;
  }
}
