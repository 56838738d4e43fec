import { sourceOf } from '../../../web/src/logic/document-source';

describe('the source program of a configuration', () => {
  it.each([
    [
      'a backup of Uptime Kuma',
      '{"version": "1.23.13", "notificationList": [], "monitorList": [{"id": 1}]}',
      'uptime-kuma',
    ],
    ['a configuration of Gatus', 'alerting:\n  slack: {}\nendpoints:\n  - name: front\n', 'gatus'],
    ['modules of the blackbox exporter', 'modules:\n  http_2xx:\n    prober: http\n', 'prometheus-blackbox'],
    ['monitors of UptimeRobot', '{"stat":"ok","monitors":[{"id":1,"friendly_name":"a"}]}', 'uptimerobot'],
    ['checks of healthchecks', '{"checks": [{"name": "a", "ping_url": "https://hc.example/1"}]}', 'healthchecks'],
    ['a document of this service, as YAML', 'version: 1\nwebsites:\n  - key: a\n', ''],
    ['a document of this service, as JSON', '{\n  "version": 1,\n  "websites": []\n}', ''],
    ['a half-typed line', 'vers', null],
    ['nothing', '', null],
  ])('is recognized by its text: %s', (_, text, source) => expect(sourceOf(text)).toBe(source));
});
