import { httpStatuses } from '../../../packages/testing/channel/describe-channel';
import { describeDeclared, textAt } from './declared-suite';

describeDeclared({
  type: 'ntfy',
  statuses: [...httpStatuses(), { status: 200, result: 'rejected' }],
  lengths: { title: 250, message: 4096 },
});

describeDeclared({ type: 'gotify', lengths: { title: 250, message: 10_000 } });

describeDeclared({
  type: 'pushover',
  statuses: [...httpStatuses(), { status: 200, result: 'rejected' }],
  lengths: { title: 250, message: 1024 },
});

describeDeclared({
  type: 'pushbullet',
  lengths: { title: 250, body: 4000 },
  keyOf: (message) => textAt(message, 'guid'),
});

describeDeclared({ type: 'bark', lengths: { title: 100, body: 2500 } });
