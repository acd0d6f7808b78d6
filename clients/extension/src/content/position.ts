import { type Request } from '../messages';
import { pageUrl } from '../pages';
import { ReadingPosition } from './reading-position';

/** How long the page has to rest after scrolling. */
const REST_MS = 500;
/** For how long after the page has begun to load it may still move, as pictures arrive. */
const SETTLING_MS = 5_000;
const INPUTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'];

let followed: AbortController | undefined;
let followedUrl: string | undefined;

/** Scrolls to the position, if the page has just been opened, and tells the background from then on how far it was read. */
globalThis.readingListPosition = (url, position) => {
  if (followedUrl === url) return;
  followed?.abort();
  followedUrl = url;
  followed = new AbortController();
  follow(url, position, followed.signal);
};

function follow(url: string, position: number, signal: AbortSignal): void {
  const place = new ReadingPosition(document, url);
  let [hasInput, told] = [false, position];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    // An application may have gone to another of its pages.
    if (pageUrl(location.href) !== url) return;
    const words = place.read();
    if (words <= told) return;
    told = words;
    const request: Request = { do: 'position', url, words };
    // After an update of the extension, nothing receives it.
    void chrome.runtime.sendMessage(request).catch(() => undefined);
  };
  const onScroll = () => {
    // Not what the page, or this script, does by itself.
    if (!hasInput) return;
    clearTimeout(timer);
    timer = setTimeout(tell, REST_MS);
  };
  const onHidden = () => void (timer !== undefined && document.visibilityState === 'hidden' && tell());
  const isFresh = performance.now() < SETTLING_MS && scrollY === 0 && location.hash === '';
  if (isFresh) keepThere(place, position, signal, () => hasInput);
  const options = { capture: true, passive: true, signal };
  for (const name of INPUTS) addEventListener(name, () => (hasInput = true), options);
  addEventListener('scroll', onScroll, options);
  addEventListener('visibilitychange', onHidden, options);
  signal.addEventListener('abort', () => clearTimeout(timer));
}

/** Brings the position into view, again while the page grows, until somebody scrolls. */
function keepThere(place: ReadingPosition, position: number, signal: AbortSignal, hasInput: () => boolean): void {
  const observer = new ResizeObserver(() => (hasInput() ? observer.disconnect() : place.show(position)));
  observer.observe(document.body);
  place.show(position);
  setTimeout(() => observer.disconnect(), SETTLING_MS);
  signal.addEventListener('abort', () => observer.disconnect());
}
