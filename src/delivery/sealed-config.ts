import { Injectable } from '@nestjs/common';
import { SecretBox } from '../platform/secrets/secret-box';

/** The value of `alert.config` and of the snapshots in `notification.config`: the whole config in one envelope. */
export interface SealedConfig {
  sealed: string;
}

/** Every copy of a config is sealed for its alert, so that a snapshot can be taken without opening it. */
export const configContext = (alertId: string): string => `alert:${alertId}:config`;

/**
 * Encrypts and decrypts channel configs. The whole config is one envelope, not only its credentials: which keys are
 * secret may change between releases, and nothing a client chooses can pass for an envelope.
 */
@Injectable()
export class SealedConfigs {
  constructor(private readonly secrets: SecretBox) {}

  seal(alertId: string, config: object): SealedConfig {
    return { sealed: this.secrets.seal(JSON.stringify(config), configContext(alertId)) };
  }

  /** The config as it was validated. Throws `SecretUnreadable`. */
  open(alertId: string, stored: SealedConfig): object {
    return JSON.parse(this.secrets.open(stored.sealed, configContext(alertId))) as object;
  }
}
