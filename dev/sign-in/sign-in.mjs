const MARKER = '#auth:';
const STORED = 'reading-list-token';
const DEVICE = 'sign-in page';

const { service, providerName } = await (await fetch('service.json')).json();
const element = (id) => document.getElementById(id);

takeTokenFromAddress();
element('sign-in').addEventListener('click', signIn);
element('sign-out').addEventListener('click', () => signOut());
element('add').addEventListener('submit', (event) => {
  event.preventDefault();
  void add(event.target);
});
await show();

/** The login brings the token in the fragment; from there it must go at once: addresses are copied and bookmarked. */
function takeTokenFromAddress() {
  if (!location.hash.startsWith(MARKER)) return;
  sessionStorage.setItem(STORED, location.hash.slice(MARKER.length));
  history.replaceState(null, '', location.pathname);
}

function signIn() {
  const redirect = `${location.origin}${location.pathname}${MARKER}`;
  location.href = `${service}/v2/${providerName}-oauth/login?redirect=${encodeURIComponent(redirect)}`;
}

function signOut(problem = '') {
  sessionStorage.removeItem(STORED);
  element('articles').replaceChildren();
  void show(problem);
}

async function show(problem = '') {
  const isSignedIn = sessionStorage.getItem(STORED) !== null;
  element('signed-out').hidden = isSignedIn;
  element('signed-in').hidden = !isSignedIn;
  element('problem').textContent = problem;
  if (isSignedIn) await list();
}

async function list() {
  const response = await call('GET', '/articles?_sort=-stored_on');
  if (!response) return;
  const { items } = await response.json();
  element('count').textContent = `${response.headers.get('Total-Records')} articles`;
  element('articles').replaceChildren(...items.map(toListItem));
}

function toListItem(article) {
  const item = element('article').content.firstElementChild.cloneNode(true);
  const link = item.querySelector('a');
  link.textContent = article.title || article.url;
  if (/^https?:/.test(article.url)) link.href = article.url;
  item.classList.toggle('read', !article.unread);
  const read = item.querySelector('.read');
  read.hidden = !article.unread;
  read.addEventListener('click', () => markRead(article));
  item.querySelector('.delete').addEventListener('click', () => remove(article));
  return item;
}

async function add(form) {
  const { url, title } = Object.fromEntries(new FormData(form));
  if (!(await call('POST', '/articles', { url, title, added_by: DEVICE }))) return;
  form.reset();
  await list();
}

async function markRead({ id }) {
  const change = { unread: false, marked_read_by: DEVICE, marked_read_on: Date.now() };
  if (await call('PATCH', `/articles/${id}`, change)) await list();
}

async function remove({ id }) {
  if (await call('DELETE', `/articles/${id}`)) await list();
}

/** Resolves with nothing when the service refuses; the page then says why. */
async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(STORED)}` };
  if (body) headers['Content-Type'] = 'application/json';
  const response = await fetch(`${service}/v2${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (response.ok) return response;
  const { message } = await response.json();
  if (response.status === 401) signOut(message);
  else element('problem').textContent = message;
}
