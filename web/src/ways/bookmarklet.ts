/**
 * The script that the bookmarks bar keeps: it opens the application with the address and the title of the page in the fragment, which
 * no server gets to see.
 */
export function bookmarklet(page = `${location.origin}${location.pathname}`): string {
  const script = `void open(${JSON.stringify(`${page}#save=`)}+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title),'_blank','noopener')`;
  return `javascript:${encodeURIComponent(script)}`;
}
