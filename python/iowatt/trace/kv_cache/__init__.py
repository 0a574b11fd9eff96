"""Request logs of language-model serving as traces of the storage that keys and values are offloaded to."""

from iowatt.trace.kv_cache.convert import KvCacheRequest, convert_log
from iowatt.trace.kv_cache.shape import KvShape, element_types, model_names, shape_of

__all__ = ["KvCacheRequest", "KvShape", "convert_log", "element_types", "model_names", "shape_of"]
