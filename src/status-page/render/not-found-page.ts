import { STATUS_STYLE } from './status-style';

/** What people see where no page is: the same bytes whether there never was one or it is not published. */
export const NOT_FOUND_PAGE = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No status page here</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<style>${STATUS_STYLE}</style>
</head>
<body>
<main>
<h1>No status page here</h1>
<p class="lead">There is no page at this address, or it is not public. Check the address, or ask whoever gave it to you.</p>
</main>
</body>
</html>
`);
