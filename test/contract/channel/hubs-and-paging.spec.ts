import { describeDeclared, textAt } from './declared-suite';
import { httpStatuses } from '../../../packages/testing/channel/describe-channel';

describeDeclared({ type: 'apprise', lengths: { title: 250, body: 10_000 } });

describeDeclared({ type: 'home_assistant', lengths: { title: 200, message: 2500 } });

describeDeclared({
  type: 'alertmanager',
  lengths: { '0.annotations.summary': 1000, '0.annotations.description': 10_000 },
  keyOf: (message) => textAt(message, '0.labels.incident_key'),
  keyIsShared: true,
});

describeDeclared({
  type: 'splunk_oncall',
  statuses: [...httpStatuses(), { status: 200, result: 'rejected' }],
  lengths: { state_message: 20_480 },
  keyOf: (message) => textAt(message, 'entity_id'),
  keyIsShared: true,
  acknowledges: true,
});

describeDeclared({
  type: 'ilert',
  lengths: { summary: 255, details: 10_000 },
  keyOf: (message) => textAt(message, 'alertKey'),
  keyIsShared: true,
  acknowledges: true,
});
