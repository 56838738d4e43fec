import { Injectable } from '@nestjs/common';
import type { Alert } from '../../alert/alert.entity';
import type { Contact } from '../../contact/contact.entity';
import { ChannelSettings } from '../../delivery/config/channel-settings';
import type { SecretNames } from './secret-names';

/** The configs of contacts and alerts with references in place of what is secret. `null`: one that cannot be read here. */
@Injectable()
export class ExportedConfigs {
  constructor(private readonly channels: ChannelSettings) {}

  ofContact({ id, type, config }: Contact, key: string, secrets: SecretNames): object | null {
    return this.channels.replaced(`contact:${id}`, { type, config }, (path) =>
      secrets.reference('contact', key, ...path),
    );
  }

  /** Of one without a contact. `path`: its whole key path. */
  ofAlert({ id, type, config }: Alert, path: readonly string[], secrets: SecretNames): object | null {
    if (!config) return null;
    return this.channels.replaced(`alert:${id}`, { type, config }, (place) =>
      secrets.reference('alert', ...path, ...place),
    );
  }
}
