import { changedTags } from '../../../web/src/logic/bulk-tags';

describe('tags of several endpoints, changed together', () => {
  it.each([
    ['one is added to what is there', ['shop'], ['eu'], [], ['shop', 'eu']],
    ['one is taken away', ['shop', 'eu'], [], ['eu'], ['shop']],
    ['all are taken away', ['shop'], [], ['shop'], []],
    ['one for another', ['shop'], ['store'], ['shop'], ['store']],
    ['what is both added and taken away is there', [], ['eu'], ['eu'], ['eu']],
    ['nothing changes where it is there already', ['shop', 'eu'], ['eu'], [], null],
    ['nothing changes where it was not', ['shop'], [], ['eu'], null],
  ])('%s', (_case, tags, added, removed, expected) => {
    expect(changedTags(tags, added, removed)).toEqual(expected);
  });
});
