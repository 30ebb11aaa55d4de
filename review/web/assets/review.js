// The page of one review.
import { open, page } from './token.js';
import { post } from './api.js';
import { closed, main } from './page.js';
import { read } from './reading.js';
import { collecting } from './collect.js';
import { compare, restore } from './whatif.js';

compare(`/api/${page}`);
open(post).then(() => read(page, 'view', [main], (view) => main.replaceChildren(view), restore, collecting), closed);
