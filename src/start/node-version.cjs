'use strict';
// Runs first, in syntax that every Node version understands. An old one would fail at the first unknown feature.
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
