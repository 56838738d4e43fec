import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sortedMembers } from '../../text/canonical-json';
import { ServerSecrets } from '../../secrets/server-secrets';
import { shownSettings, type TagSource } from './tagged';

const LENGTH = 22;

/**
 * Strong tags of resources, the same for every role and in every instance. Keyed: a stored value that a reader is not shown
 * cannot be guessed and compared with the tag, whether or not values are encrypted.
 */
@Injectable()
export class EntityTags {
  constructor(private readonly secrets: ServerSecrets) {}

  /** With its quotes. */
  of(source: TagSource): string {
    const digest = createHmac('sha256', this.secrets.get('entity_tag')).update(JSON.stringify(source, sortedMembers));
    return `"${digest.digest('base64url').slice(0, LENGTH)}"`;
  }

  /** The tag of what a response shows; `null` when that is no resource. */
  ofResponse(body: unknown): string | null {
    const source = shownSettings(body);
    return source && this.of(source);
  }
}
