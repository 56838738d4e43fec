'use strict';
// Before everything else, in words that every Node understands: an old one would stop at the first thing it does not know.
var needed = '20.19.0';

function isOlder(version, other) {
  var a = version.split('.').map(Number);
  var b = other.split('.').map(Number);
  for (var i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}

var own = process.version.replace(/^v/, '').split('-')[0];
if (isOlder(own, needed)) {
  process.stderr.write(
    'Node ' + needed.replace(/\.0$/, '') + ' or newer is needed; this is ' + own + ' (' + process.execPath + ').\n',
  );
  process.exit(1);
}
