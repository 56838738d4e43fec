import { describeChecker } from '../../../packages/testing/checker/describe-checker';
import { HeartbeatChecker } from '../../../src/heartbeat/heartbeat.checker';

describeChecker({
  type: 'HEARTBEAT',
  passive: new HeartbeatChecker(),
  accepted: [['heartbeat:', null]],
  rejected: ['', 'https://example.com/', 'heartbeat:backup'],
});
