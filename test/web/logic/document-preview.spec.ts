import { parse } from 'yaml';
import { contactDocument, endpointDocument } from '../../../web/src/logic/document-preview';
import { yamlOf } from '../../../web/src/logic/yaml';

describe('the configuration document of a form', () => {
  it('is read as the settings it was created from, for any texts', () => {
    const value = {
      version: 1,
      texts: [
        'a',
        'No',
        'null',
        '12',
        ' a: b # c',
        '',
        'über',
        'a\nb',
        "it's",
        '- x',
        '{}',
        'https://a.example.com/?q',
      ],
      empty: { list: [], object: {} },
      rows: [{ key: 'a', deep: { one: 1, two: [{ a: true, b: null }, [1, 2]] } }, { $secret: 'NAME' }, 'end'],
    };
    expect(parse(yamlOf(value))).toEqual(value);
  });

  it('of a contact names secrets and addresses, and contains none', () => {
    const schema = {
      properties: {
        url: { type: 'string', format: 'uri' },
        secret: { type: 'string', writeOnly: true },
        smtp: { properties: { host: { type: 'string' }, password: { type: 'string', format: 'password' } } },
      },
    };
    const config = {
      url: 'https://hooks.example.com/x',
      secret: '********',
      smtp: { host: 'mx', password: 'hunter2' },
    };
    const text = contactDocument({ name: 'Ops chat', type: 'webhook', config }, schema);
    expect(text).toBe(
      [
        'version: 1',
        'contacts:',
        '  - key: ops-chat',
        '    name: Ops chat',
        '    type: webhook',
        '    config:',
        '      url: { $secret: CONTACT_OPS_CHAT_URL }',
        '      secret: { $secret: CONTACT_OPS_CHAT_SECRET }',
        '      smtp:',
        '        host: mx',
        '        password: { $secret: CONTACT_OPS_CHAT_SMTP_PASSWORD }',
        '',
      ].join('\n'),
    );
  });

  it('of an endpoint also declares its website', () => {
    const endpoint = {
      name: 'Café',
      url: 'https://shop.example.com/',
      type: 'HTTPS',
      interval: 60,
      depends_on: ['ep_1'],
      headers: [
        { key: 'Authorization', value: 'Bearer x' },
        { key: 'Accept', value: '*/*' },
      ],
    };
    expect(parse(endpointDocument({ name: 'Shop', url: 'https://shop.example.com' }, endpoint))).toEqual({
      version: 1,
      websites: [
        {
          key: 'shop',
          name: 'Shop',
          url: 'https://shop.example.com',
          endpoints: [
            {
              key: 'cafe',
              name: 'Café',
              url: 'https://shop.example.com/',
              type: 'HTTPS',
              interval: 60,
              headers: [
                { key: 'Authorization', value: { $secret: 'CAFE_AUTHORIZATION' } },
                { key: 'Accept', value: '*/*' },
              ],
            },
          ],
        },
      ],
    });
  });
});
