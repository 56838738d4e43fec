import type { MessageKind } from './message-kind';
import { recoveryText } from './wording';

/** A message that a user sends to find out whether messages arrive. */
export const TEST: MessageKind = {
  about: 'test',
  paging: 'trigger',
  countsAs: 'resolved',
  tone: () => 'neutral',
  title: () => 'Test message',
  sentence: (_notification, name) => `Test message for ${name}: notifications arrive here`,
  inDigest: recoveryText,
};
