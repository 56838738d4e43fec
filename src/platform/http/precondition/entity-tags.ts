import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sortedMembers } from '../../text/json';
import { ServerSecrets } from '../../secrets/server-secrets';

/**
 * The data from which a resource's tag is computed: its ID and its settings as stored. Nothing else changes the tag.
 */
export type TagSource = Readonly<Record<string, unknown>> & { readonly id: string };

const sources = new WeakMap<object, TagSource>();

/**
 * Records the settings that a view shows. The response has a tag based on them, which is computed when the response is
 * sent.
 */
export function tagged<View extends object>(view: View, source: TagSource): View {
  sources.set(view, source);
  return view;
}

/** Assigns the tag of `view` to `whole`, which shows the same resource with more fields. */
export function taggedLike<View extends object>(view: object, whole: View): View {
  const source = sources.get(view);
  return source ? tagged(whole, source) : whole;
}

/** Returns the settings that a view shows. Returns `null` if the view isn't a single resource. */
const shownSettings = (view: unknown): TagSource | null =>
  typeof view === 'object' && view !== null ? (sources.get(view) ?? null) : null;

const LENGTH = 22;

/**
 * Computes strong tags for resources. A tag is the same for every role and in every process. The hash uses a key.
 * Otherwise, a reader could guess a hidden value and compare the tag, even if values are encrypted.
 */
@Injectable()
export class EntityTags {
  constructor(private readonly secrets: ServerSecrets) {}

  /** Returns the tag, including quotes. */
  of(source: TagSource): string {
    const digest = createHmac('sha256', this.secrets.get('entity_tag')).update(JSON.stringify(source, sortedMembers));
    return `"${digest.digest('base64url').slice(0, LENGTH)}"`;
  }

  /** Returns the tag of the resource in a response, or `null` if it isn't a resource. */
  ofResponse(body: unknown): string | null {
    const source = shownSettings(body);
    return source && this.of(source);
  }
}
