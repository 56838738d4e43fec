import { SecretNames } from './secret-names';

describe('the name of a secret in an export', () => {
  it.each<[place: (string | number)[], name: string]>([
    [['contact', 'chat', 'webhook_url'], 'CONTACT_CHAT_WEBHOOK_URL'],
    [['endpoint', 'shop', 'front.page', 'header', 'x-api-key'], 'ENDPOINT_SHOP_FRONT_PAGE_HEADER_X_API_KEY'],
    [['alert', 'shop', 'front', 'mail', 'to', 0], 'ALERT_SHOP_FRONT_MAIL_TO_0'],
    [['endpoint', 'shop', 'front', 'header', '$!'], 'ENDPOINT_SHOP_FRONT_HEADER_'],
  ])('contains its position: %j is %s', (place, name) => {
    expect(new SecretNames().reference(...place)).toEqual({ $secret: name });
  });

  it('differs for each position, and is always the same for one position', () => {
    const names = new SecretNames();
    const placed = [
      ['a-b', 'c'],
      ['a', 'b-c'],
      ['a.b', 'c'],
    ].map((place) => names.reference('contact', ...place).$secret);
    expect(placed).toEqual([
      'CONTACT_A_B_C',
      expect.stringMatching(/^CONTACT_A_B_C_[0-9A-F]{8}$/),
      expect.stringMatching(/^CONTACT_A_B_C_[0-9A-F]{8}$/),
    ]);
    expect(new Set(placed).size).toBe(3);
    expect(names.reference('contact', 'a', 'b-c').$secret).toBe(placed[1]);
    expect(names.all).toEqual(placed);
  });

  it('has at most 128 characters, and still differs for each position', () => {
    const names = new SecretNames();
    const long = ['1', '2'].map(
      (end) => names.reference('endpoint', 'k'.repeat(64), 'l'.repeat(64), 'body', end).$secret,
    );
    expect(long.map(({ length }) => length)).toEqual([128, 128]);
    expect(new Set(long).size).toBe(2);
  });
});
