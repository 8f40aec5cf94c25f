CREATE FUNCTION file AS path -> throwIf(1, 'file() reads nothing here')
