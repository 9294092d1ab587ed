import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { pictureUrl } from '../shared/safe-url.ts'
import { SERVER } from '../shared/server.ts'
import { fill, t } from '../shared/text.ts'
import type { Picture } from './item/request.ts'

/*
 * A picture of an item. A picture on this server is shown at once. A picture on another server is loaded after a click, so that
 * no other server learns what a person looks at.
 */

export function PictureFigure({ picture: { thumbnailMediumUrl, originalUrl, altText } }: { picture: Picture }) {
  const original = pictureUrl(originalUrl, SERVER)
  return (
    <figure>
      <Frame preview={pictureUrl(thumbnailMediumUrl, SERVER)} original={original} alt={altText} />
      <figcaption>
        <span dir="auto">{altText || t.noDescription}</span>
        {original && (
          <>
            {' · '}
            <OriginalLink url={original}>{t.original}</OriginalLink>
          </>
        )}
      </figcaption>
    </figure>
  )
}

interface FrameProps {
  preview: URL | undefined
  original: URL | undefined
  alt: string
}

/** The picture is a link, or else a button stands for it. */
function Frame({ preview, original, alt }: FrameProps) {
  const [isWanted, want] = useState(preview?.origin === location.origin)
  const frame = useRef<HTMLDivElement>(null)
  const load = () => {
    want(true)
    // The button that has the focus goes.
    frame.current?.focus()
  }
  return (
    <div class="frame" tabIndex={-1} ref={frame}>
      {!preview ? (
        <p class="soft">{t.noPictureAddress}</p>
      ) : isWanted ? (
        <OriginalLink url={original}>
          <Image url={preview} alt={alt} />
        </OriginalLink>
      ) : (
        <button type="button" class="button" onClick={load}>
          {fill(t.loadPicture, { host: preview.host })}
        </button>
      )}
    </div>
  )
}

function OriginalLink({ url, children }: { url: URL | undefined; children: ComponentChildren }) {
  if (!url) return <>{children}</>
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer" title={t.original}>
      {children}
    </a>
  )
}

function Image({ url, alt }: { url: URL; alt: string }) {
  const [hasFailed, fail] = useState(false)
  if (hasFailed) return <p class="soft">{t.pictureFailed}</p>
  return <img src={url.href} alt={alt} loading="lazy" referrerpolicy="no-referrer" onError={() => fail(true)} />
}

/** A small picture of a place in a list, if it is on this server. */
export function Thumbnail({ address }: { address: string | null }) {
  const [hasFailed, fail] = useState(false)
  const url = pictureUrl(address ?? '', SERVER)
  if (hasFailed || url?.origin !== location.origin) return null
  return <img class="thumbnail" src={url.href} alt="" loading="lazy" onError={() => fail(true)} />
}
