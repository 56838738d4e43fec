import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sortedMembers } from '../../text/json';
import { ServerSecrets } from '../../secrets/server-secrets';

/** What the tag of a resource is made of: its id and its settings as they are stored. Nothing else moves the tag. */
export type TagSource = Readonly<Record<string, unknown>> & { readonly id: string };

const sources = new WeakMap<object, TagSource>();

/** Says which settings a view shows; its response carries their tag. The tag is made when it is sent. */
export function tagged<View extends object>(view: View, source: TagSource): View {
  sources.set(view, source);
  return view;
}

/** `whole` shows the same resource as `view` and more beside it. */
export function taggedLike<View extends object>(view: object, whole: View): View {
  const source = sources.get(view);
  return source ? tagged(whole, source) : whole;
}

/** The settings that a view shows; `null` when it is not one of a single resource. */
const shownSettings = (view: unknown): TagSource | null =>
  typeof view === 'object' && view !== null ? (sources.get(view) ?? null) : null;

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
