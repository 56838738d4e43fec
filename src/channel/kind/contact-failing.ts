import type { Notification } from '../notification';
import { oneLine } from '../../platform/text/text-limits';
import type { MessageKind, NotificationFact } from './message-kind';
import { durationText, lasting } from './wording';

/** A failing contact can wait for the next reader, so no one is mentioned. */
export const CONTACT_FAILING: MessageKind = {
  about: 'contact',
  paging: 'trigger',
  countsAs: 'contact',
  since: 'Failing since',
  tone: () => 'neutral',
  title: (_notification, name) => `Messages to ${name} fail`,
  sentence: failingSentence,
  inDigest: (notification) => `has accepted no messages${lasting('for', notification)}`,
  facts: contactFacts,
};

function failingSentence({ durationSeconds, failing }: Notification, name: string): string {
  const error = oneLine(failing?.error ?? '').replace(/(?<!\.)\.+$/, '');
  return `Messages to ${name} have been failing for ${durationText(durationSeconds ?? 0)}${error && `: ${error}`}`;
}

function contactFacts({ contact, failing }: Notification): NotificationFact[] {
  return contact && failing
    ? [
        { label: 'Contact', value: `${oneLine(contact.name)} (${oneLine(failing.type)})` },
        { label: 'Failed attempts', value: String(failing.attempts) },
      ]
    : [];
}
