import type { NotificationKind } from '../notification';
import { CONTACT_FAILING } from './contact-failing';
import { EXPIRY } from './certificate-expiry';
import { DIGEST } from './digest';
import { ACKNOWLEDGED, FLAPPING, RECOVERED, REMINDER, RESOLVED, TRIGGERED } from './episode';
import type { MessageKind } from './message-kind';
import { TEST } from './test-message';

/** All kinds of notifications. Everything that depends on the kind is in its file. */
export const MESSAGE_KINDS: Readonly<Record<NotificationKind, MessageKind>> = {
  triggered: TRIGGERED,
  resolved: RESOLVED,
  test: TEST,
  recovered: RECOVERED,
  digest: DIGEST,
  flapping: FLAPPING,
  acknowledged: ACKNOWLEDGED,
  reminder: REMINDER,
  contact_failing: CONTACT_FAILING,
  expiry: EXPIRY,
};
