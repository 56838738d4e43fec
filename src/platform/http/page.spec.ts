import { Page } from './page';

/** The cursor after an item is its index. */
const pageOf = (items: readonly unknown[]): Page<unknown> => new Page(items, 'next', null, String);

describe('Page.toJson', () => {
  it('has all items when they fit to the byte', () => {
    expect(pageOf(['aa', 'bb']).toJson(11)).toEqual({ json: '["aa","bb"]', nextCursor: 'next' });
  });

  it('ends before the item that does not fit, with the cursor behind the one before', () => {
    expect(pageOf(['aa', 'bb', 'cc']).toJson(11)).toEqual({ json: '["aa","bb"]', nextCursor: '1' });
    expect(pageOf(['aa', 'bb']).toJson(10)).toEqual({ json: '["aa"]', nextCursor: '0' });
  });

  it('counts bytes, not characters', () => {
    expect(pageOf(['€', '€']).toJson(9)).toEqual({ json: '["€"]', nextCursor: '0' });
  });

  it('has one item at least, however large', () => {
    expect(pageOf(['too large', 'b']).toJson(5)).toEqual({ json: '["too large"]', nextCursor: '0' });
    expect(pageOf(['too large']).toJson(5)).toEqual({ json: '["too large"]', nextCursor: 'next' });
  });

  it('is cut as well after its items were changed', () => {
    const page = pageOf(['a', 'b']).map((item) => ({ item }));
    expect(page.toJson(15)).toEqual({ json: '[{"item":"a"}]', nextCursor: '0' });
  });

  it('is whole when nobody knows the cursors between its items', () => {
    expect(new Page(['aa', 'bb'], null).toJson(3)).toEqual({ json: '["aa","bb"]', nextCursor: null });
  });
});
