import {
  type ChannelSuite,
  describeChannel,
  httpStatuses,
  type LimitedText,
} from '../../../packages/testing/channel/describe-channel';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { DECLARED_FAKES } from '../../../packages/testing/providers/declared';
import { textOf, valueAt } from '../../../src/channel/template/json-value';

/** The differences between the channels that are declarations. */
export interface DeclaredSuite extends Partial<ChannelSuite> {
  type: string;
  /** The paths of texts in a message, with their limits. */
  lengths: Readonly<Record<string, number>>;
}

/** Returns the text at a path of a message. */
export const textAt = ({ data }: ReceivedMessage, path: string): string => textOf(valueAt(data, path));

/** Declares the suite for a channel that is a declaration, with the fake of its service. */
export function describeDeclared({ lengths, ...suite }: DeclaredSuite): void {
  const fake = DECLARED_FAKES[suite.type];
  if (!fake) throw new Error(`there is no fake of ${suite.type}`);
  describeChannel({
    open: fake.open,
    secrets: fake.secrets,
    statuses: httpStatuses(),
    limits: (message) =>
      Object.entries(lengths).map(([path, max]): LimitedText => ({ name: path, text: textAt(message, path), max })),
    expectHarmless: (message) => {
      for (const path of Object.keys(lengths)) expect(textAt(message, path)).toContain('alert(1)');
    },
    ...suite,
  });
}
