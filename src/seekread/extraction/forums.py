"""
What the posts of a thread look like, by the software that wrote the page.

Forums are run by a few dozen programs, and each marks its posts by names of its own. A shape is known by words in the
names of an element (`class="js-post-body"` has the words js, post and body), where needed inside another. What stands
in posts, and in the comments on them, is the content of a thread; of what stands between them only who wrote them, and
when.
"""

from dataclasses import field

from seekread.extraction.element_names import words
from seekread.late import dataclass

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ForumShape:
    """How one program marks posts, and comments on them."""

    software: str
    post: frozenset[str]
    inside: frozenset[str] = NOTHING
    """Words of an element around every post."""
    comment: frozenset[str] = NOTHING
    bylines: tuple[frozenset[str], ...] = field(default=(), kw_only=True)
    """Words of the elements that say who wrote a post, and when."""
    only: bool = field(default=False, kw_only=True)
    """Whether a post has these words and no others: they are too common to say it among others."""

    def is_post(self, names: frozenset[str]) -> bool:
        """Say whether an element with these words in its names is a post."""
        return names == self.post if self.only else names >= self.post


FORUMS = (
    ForumShape("Stack Exchange", words("js post body"), comment=words("comment copy")),
    ForumShape("Discourse", words("post text"), bylines=(words("crawler post meta"),), only=True),
    ForumShape("Discourse, drawn", words("cooked")),
    ForumShape("XenForo 2", words("bb wrapper"), bylines=(words("message name"), words("message attribution main"))),
    ForumShape("XenForo 2, without wrapper", words("js message content"), only=True),
    ForumShape("XenForo 1", words("message content"), only=True),
    ForumShape("vBulletin 3", words("post message"), only=True),
    ForumShape("vBulletin 4", words("postcontent")),
    ForumShape("vBulletin 5", words("js post content text")),
    ForumShape("phpBB", words("content"), inside=words("postbody"), bylines=(words("author"),), only=True),
    ForumShape("Invision", words("ips rich text user")),
    ForumShape("Invision 4", words("ips type rich text")),
    ForumShape("FluxBB", words("postmsg")),
    ForumShape("Simple Machines", words("inner msg")),
    ForumShape("MyBB", words("post body scaleimages")),
    ForumShape("Vanilla", words("message user content")),
    ForumShape("Reddit, old", words("usertext body")),
    ForumShape("Hacker News", words("commtext")),
    ForumShape("Lemmy", words("md div"), only=True),
    ForumShape("Lobsters", words("comment text")),
    ForumShape("NodeBB", words("content text"), only=True),
    ForumShape("bbPress", words("bbp reply content")),
    ForumShape("Flarum", words("post body"), only=True),
)
"""The programs that are known, the more telling shapes first."""
