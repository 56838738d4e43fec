import { describeChannel, httpStatuses } from '../../../packages/testing/channel/describe-channel';
import type { ReceivedMessage } from '../../../packages/testing/channel/provider-double';
import { fakeOpsgenie, OPSGENIE_SECRETS } from '../../../packages/testing/providers/opsgenie';

/** The alias is in the body of a new alert, and in the path of later requests about it. */
const aliasOf = ({ data, path }: ReceivedMessage): string => {
  const [, closed] = /^\/v2\/alerts\/([^/]+)\/(?:close|acknowledge)\?identifierType=alias$/.exec(path) ?? [];
  return closed === undefined ? String(data['alias']) : decodeURIComponent(closed);
};

describeChannel({
  type: 'opsgenie',
  open: fakeOpsgenie,
  secrets: OPSGENIE_SECRETS,
  statuses: [...httpStatuses(), { status: 402, result: 'rejected' }],
  limits: ({ data }) => [
    { name: 'message', text: String(data['message']), max: 130 },
    { name: 'alias', text: String(data['alias']), max: 512 },
    { name: 'description', text: String(data['description']), max: 15_000 },
    { name: 'entity', text: String(data['entity']), max: 512 },
  ],
  expectHarmless: ({ data }) => {
    expect(data['message']).toMatch(/^[^\r\n]+$/);
    expect(data['message']).toContain('<script>');
  },
  keyOf: aliasOf,
  keyIsShared: true,
  acknowledges: true,
});
