import { parse } from 'yaml';
import { yamlText } from './yaml-text';

describe('a document as YAML', () => {
  const alert = { key: 'chat', contact: 'chat', failure_threshold: 3 };
  const document = {
    version: 1,
    contacts: [{ key: 'chat', type: 'slack', config: { webhook_url: { $secret: 'CHAT_URL' } } }],
    websites: [
      {
        key: 'shop',
        tags: ['prod', 'team:web'],
        endpoints: [
          { key: 'front', body: 'a: {b}\n"c", # d', headers: [{ key: 'X', value: 'y'.repeat(120) }], alerts: [alert] },
        ],
      },
    ],
  };

  it('reads back unchanged', () => {
    expect(parse(yamlText(document))).toEqual(document);
  });

  it('puts small values on one line and everything else on separate lines', () => {
    const lines = yamlText(document).split('\n');
    expect(lines).toContain('      webhook_url: {$secret: CHAT_URL}');
    expect(lines).toContain('          - {key: chat, contact: chat, failure_threshold: 3}');
    expect(lines).toContain(`            value: ${'y'.repeat(120)}`);
    expect(lines).toContain('    tags: [prod, team:web]');
    expect(lines[0]).toBe('version: 1');
  });

  it('has no aliases for repeated values', () => {
    expect(yamlText({ a: [alert, alert] })).not.toMatch(/[&*]/);
  });
});
